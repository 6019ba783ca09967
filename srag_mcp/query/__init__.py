"""Translation of questions by a language model (S-RAG 3.3)."""
