import os

import pytest
from hypothesis import HealthCheck, settings

from ibmap.kernels.compiling import IS_COMPILED

# The first call of a kernel compiles it, so time limits on examples make no sense here.
settings.register_profile(
    "default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "quick", deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", deadline=None, max_examples=1000, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(items):
    """Skip what is marked `compiled_only` where kernels are not compiled."""
    for item in items:
        mark = item.get_closest_marker("compiled_only")
        if mark is not None and not IS_COMPILED:
            (reason,) = mark.args
            item.add_marker(pytest.mark.skip(reason=reason))
