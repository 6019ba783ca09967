"""Normalisation of values: numbers, dates, booleans, categories."""
