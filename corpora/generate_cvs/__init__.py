"""Makes the pack `corpora/cvs`: gold records, then CVs worded around them."""
