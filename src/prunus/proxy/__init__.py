"""The HTTP proxy, for any agent whose base URL can be set."""
