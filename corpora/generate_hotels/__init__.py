"""The source of `corpora/hotels` and of packs of any size: records, words, and pages of both."""
