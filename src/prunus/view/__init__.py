"""A history as its answered calls: each call with its result, its meaning and its turn."""
