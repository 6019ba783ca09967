"""Questions without a model: linked, composed, scored, and answered only where that is sure."""
