"""Every test that takes `group` runs on each backend."""

import pytest

from p2pokey.crypto.group import Group
from tests.crypto.support import BACKENDS, group_of


@pytest.fixture(params=BACKENDS)
def group(request: pytest.FixtureRequest) -> Group:
    return group_of(request.param)


@pytest.fixture
def sodium() -> Group:
    """For what plain Python would be too slow for."""
    return group_of("libsodium")
