"""Networks small enough to be fitted hundreds of times."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from synth.generate.network import NetworkGenerator
from synth.generate.registry import GENERATORS


@dataclass(frozen=True, kw_only=True)
class SmallNetwork(NetworkGenerator):
    width: int = 12
    batch: int = 24
    steps: int = 100
    round_steps: int = 3


@pytest.fixture(autouse=True)
def _small_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GENERATORS, NetworkGenerator.name, SmallNetwork)
