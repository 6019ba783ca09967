"""Cells: what documents say of attributes, in which words, and as which values."""
