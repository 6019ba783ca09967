"""Standardisation across documents: what does not fit its column is found by code (DESIGN 7.4)."""
