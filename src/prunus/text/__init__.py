"""Functions for untrusted text: numbers, text between marks, hashes, text that is safe to print."""
