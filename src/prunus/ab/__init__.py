"""Coding tasks done by a real agent, without Prunus and behind it: the same task, the same model, two bills."""
