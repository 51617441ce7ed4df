"""Anthropic Messages: one wire format."""
