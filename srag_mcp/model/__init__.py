"""The one seam to language models."""
