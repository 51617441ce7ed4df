"""What Prunus knows of conversations between requests, in the process and beyond it."""
