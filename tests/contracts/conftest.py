"""Every run here may fit a network, and tells nothing by the clock."""

import math

import pytest

from synth.models import pulse


@pytest.fixture(autouse=True)
def _small(small_networks: None) -> None:
    """See `tests/conftest.py`."""


@pytest.fixture(autouse=True)
def _no_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit that is told of every few seconds would be told of more often on a busy machine."""
    monkeypatch.setattr(pulse, "PULSE_SECONDS", math.inf)
