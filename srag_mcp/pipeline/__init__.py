"""The two phases: ingestion and inference."""
