"""Which device computes."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from synth.device import VARIABLE, device_of
from synth.errors import Mistake


def machine(monkeypatch: pytest.MonkeyPatch, *, cuda: bool = False, mps: bool = False) -> None:
    """A torch that finds these devices, and an environment that asks for none."""
    fake = SimpleNamespace(
        cuda=SimpleNamespace(is_available=lambda: cuda),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
    )
    monkeypatch.setitem(sys.modules, "torch", fake)  # type: ignore[arg-type]
    monkeypatch.delenv(VARIABLE, raising=False)


def test_the_best_device_there_is_computes_unless_another_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine(monkeypatch)
    assert device_of() == "cpu"
    machine(monkeypatch, mps=True)
    assert device_of() == "mps"
    machine(monkeypatch, cuda=True, mps=True)
    assert device_of() == "cuda" and device_of("mps") == "mps"
    monkeypatch.setenv(VARIABLE, "cpu")
    assert device_of() == "cpu" and device_of("cuda") == "cuda"


@pytest.mark.parametrize("asked", ["cuda", "abacus"])
def test_what_the_machine_does_not_have_is_refused(monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    machine(monkeypatch)
    with pytest.raises(Mistake, match=asked):
        device_of(asked)
    monkeypatch.setenv(VARIABLE, asked)
    with pytest.raises(Mistake, match=asked):
        device_of()
