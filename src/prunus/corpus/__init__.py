"""Many recorded sessions: folders, archives and tables, read one session at a time."""
