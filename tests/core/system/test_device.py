"""Test that the requested or best device is known before budget is spent, without torch if no GPU was
requested.
"""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from synth.core.errors import Mistake
from synth.core.progress import Progress
from synth.core.system import device
from synth.core.system.device import AUTO, VARIABLE, check_device, device_in_words, device_of, likely_device


@pytest.fixture(autouse=True)
def _nothing_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def machine(monkeypatch: pytest.MonkeyPatch, *, cuda: bool = False, mps: bool = False) -> None:
    """A replacement for torch that finds these GPUs."""
    backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps))
    found = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: cuda), backends=backends)
    monkeypatch.setitem(sys.modules, "torch", found)


@pytest.mark.parametrize(
    ("cuda", "mps", "best"),
    [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_auto_is_the_best_there_is(monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, best: str) -> None:
    machine(monkeypatch, cuda=cuda, mps=mps)
    assert device_of() == best


def test_the_option_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, cuda=True, mps=True)
    monkeypatch.setenv(VARIABLE, "mps")
    assert (device_of(), device_of("cuda"), device_of("cpu")) == ("mps", "cuda", "cpu")


@pytest.mark.parametrize("check", [device_of, check_device])
def test_a_missing_device_is_a_mistake_with_advice(monkeypatch: pytest.MonkeyPatch, check: object) -> None:
    assert callable(check)
    machine(monkeypatch)
    with pytest.raises(Mistake, match=r"no device 'cuda'\. Choose cpu"):
        check("cuda")
    with pytest.raises(Mistake, match=r"Unknown device 'gpu'\. Choose one of: auto, cuda, mps, cpu"):
        check("gpu")
    for named, said in (("mps", "This machine has no device"), ("banana", "Unknown device")):
        monkeypatch.setenv(VARIABLE, named)
        with pytest.raises(Mistake, match=f"{said} '{named}', which {VARIABLE} names. Choose"):
            check(AUTO)


def test_the_processor_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # importing it is an error
    check_device()
    check_device("cpu")
    assert device_of("cpu") == "cpu"


def test_a_fit_tells_where_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, cuda=True)
    stated: list[Progress] = []
    assert device_in_words(AUTO, stated.append) == "cuda"
    assert [p.fact for p in stated] == ["computing on cuda"]


@pytest.mark.parametrize(
    ("system", "smi", "small", "likely"),
    [
        ("Linux", "/usr/bin/nvidia-smi", False, "cuda"),
        ("Linux", "/usr/bin/nvidia-smi", True, "cpu"),
        ("Linux", None, False, "cpu"),
        ("Darwin", None, False, "mps"),
    ],
)
def test_a_guess_for_a_page_needs_no_torch(
    monkeypatch: pytest.MonkeyPatch, system: str, smi: str | None, small: bool, likely: str
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(device.platform, "system", lambda: system)
    monkeypatch.setattr(device.platform, "machine", lambda: "arm64")
    monkeypatch.setattr(device.shutil, "which", lambda name: smi)
    monkeypatch.setattr(device, "version", lambda name: "2.13.0+cpu" if small else "2.13.0")
    assert likely_device() == likely
    assert likely_device("cpu") == "cpu"
    monkeypatch.setenv(VARIABLE, "cpu")
    assert likely_device() == "cpu"


STARTED = """
import importlib, pkgutil, sys
import synth.api, synth.cli, synth.models.registry, synth.mechanisms, synth.app.ui
for package in (synth.cli, synth.app.ui):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
print("torch" in sys.modules)
"""


def test_neither_the_command_line_nor_a_page_starts_with_torch() -> None:
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
