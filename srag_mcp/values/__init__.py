"""Values: what words mean as numbers, dates, yes and no; nothing of documents or records."""
