"""The page on which a person looks at a corpus: served on this computer, or written to one file."""
