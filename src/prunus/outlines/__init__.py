"""What stays of a text that goes: one way for each sort of text, measured in `docs/outlines.md`."""
