"""Text: words, spans, and where a quote stands; nothing of documents or values."""
