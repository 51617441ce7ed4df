"""Hypothesis profiles: "ci" gives the same examples on every run, "dev" looks further.

Choose the second with `pytest --hypothesis-profile=dev`. Neither looks at how long an example takes: no test may
depend on the speed of the machine.
"""

from hypothesis import HealthCheck, settings

_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("ci", derandomize=True, max_examples=25, **_ANY_SPEED)
settings.register_profile("dev", max_examples=300, **_ANY_SPEED)
settings.load_profile("ci")
