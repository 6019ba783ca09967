"""Columns of cells: their words are turned into values."""
