"""Recorded sessions replayed through any policy: what it would have cost, and what it would have lost."""
