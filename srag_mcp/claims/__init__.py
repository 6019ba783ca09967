"""Claims: whether a value follows from the words that are quoted for it, and fits its column."""
