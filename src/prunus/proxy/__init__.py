"""The HTTP proxy: any agent with a base URL, unchanged."""
