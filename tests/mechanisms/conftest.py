"""Every run here may fit a network."""

import pytest


@pytest.fixture(autouse=True)
def _small(small_networks: None) -> None:
    """See `tests/conftest.py`."""
