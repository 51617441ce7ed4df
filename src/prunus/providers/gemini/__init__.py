"""Gemini generateContent: one wire format."""
