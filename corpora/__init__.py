"""Document packs written for this project; they travel in the wheel as `srag_mcp.corpora`."""
