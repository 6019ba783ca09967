"""Evaluation of an engine on a document pack with gold."""
