"""What one tool call did: its kind, the files that it touched, its changes, and how it ended."""
