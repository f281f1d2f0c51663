"""Use small networks, because every run may fit a network."""

import pytest


@pytest.fixture(autouse=True)
def _small(small_networks: None) -> None:
    """See `tests/conftest.py`."""
