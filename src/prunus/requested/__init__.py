"""Requests of the agent (`context_prune`) and of the user (`/prunus`)."""
