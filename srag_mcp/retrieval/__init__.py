"""Retrieval: passages of the documents that SQL leaves, by the words of a question."""
