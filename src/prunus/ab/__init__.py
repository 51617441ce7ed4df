"""A trial with a real model: a coding agent does the same tasks without Prunus and behind Prunus."""
