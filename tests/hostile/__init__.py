"""Inputs that make careless readers slow: what the law of linear time and `bench/hostile.py` try."""
