"""The contents of each file of a conversation, followed through reads, edits, patches and commands."""
