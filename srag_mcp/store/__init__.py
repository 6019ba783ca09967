"""The store: builds, their readers, statistics, the value index and the SQL guard."""
