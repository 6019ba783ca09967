"""Ask questions that need every document: a folder becomes one SQL table with evidence."""

__version__ = "0.1.0"
