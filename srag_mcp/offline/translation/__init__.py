"""Translation of questions into SQL without a model: a grammar over one table."""
