"""Templates of the prompts; they travel in the wheel as `srag_mcp.prompts`."""
