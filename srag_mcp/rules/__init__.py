"""Rules: columns found in documents without a model, as data, and the code that runs them."""
