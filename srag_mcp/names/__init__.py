"""Names that mean one thing: code finds what is certain and what is doubtful, a model decides."""
