"""Schemas: what a corpus says of each document, as typed attributes."""
