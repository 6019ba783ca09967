"""Who does the thinking: code, a language model, or the calling agent as one (DESIGN 6)."""
