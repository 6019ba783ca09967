"""Inference: a question becomes a query, its result an answer that says what it rests on."""
