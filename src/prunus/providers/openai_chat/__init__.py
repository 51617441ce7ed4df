"""OpenAI Chat Completions: one wire format."""
