"""OpenAI Responses: one wire format."""
