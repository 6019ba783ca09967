"""Translation of questions by a language model."""
