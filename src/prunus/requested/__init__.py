"""What the agent asks for by `context_prune`, and the user by `/prunus`."""
