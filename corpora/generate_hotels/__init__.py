"""The source of `corpora/hotels`: seeded records, written words, and the pages made of both."""
