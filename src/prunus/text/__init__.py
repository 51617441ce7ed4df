"""Small tools for untrusted text: numbers, marks, hashes, what a terminal may show."""
