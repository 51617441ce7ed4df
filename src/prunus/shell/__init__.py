"""Shell commands: their words, and what each program reads, prints and changes."""
