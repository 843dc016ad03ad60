"""How hard do the property tests try? A little at a desk, more and without chance in CI, much at night."""

import os

from hypothesis import HealthCheck, settings

# Drawing a domain draws its variables and nested constraints: slow to generate is not a fault here.
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile("dev", max_examples=25, deadline=None, suppress_health_check=QUIET)
settings.register_profile(
    "ci", max_examples=100, deadline=None, derandomize=True, suppress_health_check=QUIET
)
# pytest --hypothesis-profile=soak: for a night, or after a change of a formulation.
settings.register_profile("soak", max_examples=1000, deadline=None, suppress_health_check=QUIET)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
