"""The offline engine: schema induction, extraction and translation without a model."""
