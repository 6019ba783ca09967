"""Records: cells with state and evidence, and their normalisation."""
