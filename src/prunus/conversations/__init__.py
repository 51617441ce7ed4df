"""The state of conversations between requests, in one process and across processes."""
