"""Hypothesis profiles: "ci" gives the same examples on every run, "dev" looks further.

Choose the second with `pytest --hypothesis-profile=dev`.
"""

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("dev", deadline=None, max_examples=300)
settings.load_profile("ci")
