"""OpenCode's own messages: one wire format."""
