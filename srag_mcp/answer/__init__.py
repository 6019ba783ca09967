"""Answers: rows in words, with denominators, bounds and sources."""
