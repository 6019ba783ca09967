"""Documents: files read as text and blocks with character spans."""
