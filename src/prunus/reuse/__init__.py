"""Whether a part will be used again: the likelihood, and what agents asked for again."""
