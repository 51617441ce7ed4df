"""Outlines of cut texts: one kind for each sort of text, measured in `docs/outlines.md`."""
