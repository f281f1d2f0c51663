from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synth.bench.peers import homes
from synth.bench.peers.catalogue import Library, Peer
from synth.bench.privacy import gate, gate_peers
from synth.bench.privacy.gate_verdict import Verdict

pytestmark = pytest.mark.long


DRIVER = """
import json, sys
from pathlib import Path
import numpy as np

def main(arguments):
    asked = json.loads(Path(arguments[0]).read_text())
    names = list(asked["domain"])
    rows = np.loadtxt(asked["codes"], dtype=int, delimiter=",", skiprows=1)
    sizes = [asked["domain"][name] for name in names]
    {learned}
    rng = np.random.default_rng(asked["seed"])
    rho = {rho} / len(names)
    sigma = (1 / (2 * rho)) ** 0.5
    counts = [np.bincount(x, minlength=n) for x, n in zip(rows.T, sizes)]
    noisy = [{noisy} for c, n in zip(counts, sizes)]
    shares = [np.clip(c, 1e-9, None) / np.clip(c, 1e-9, None).sum() for c in noisy]
    many = {many}
    made = np.stack([rng.choice(len(p), many, p=p) for p in shares], axis=1)
    np.savetxt(asked["made"], made, fmt="%d", delimiter=",", header=",".join(names), comments="")
    return 0
"""
USUAL = {"learned": "", "rho": "0.0305", "noisy": "c + rng.normal(0, sigma, n)", "many": 'asked["rows"]'}


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    monkeypatch.setattr(homes, "interpreter", lambda library: Path(sys.executable))
    library = Library(
        name="toy", driver=tmp_path / "drive.py", installs=(), neighbours="add or remove", caveats=()
    )
    return Peer(library=library, method="columns", settings="none")


def verdict(peer: Peer, **stated: str) -> Verdict:
    peer.library.driver.write_text(DRIVER.format(**USUAL | stated))
    return gate.of_peer(peer)


def test_a_driver_that_spends_what_it_says_passes(peer: Peer) -> None:
    stated = verdict(peer)
    assert stated.passes and stated.draws == 3, stated


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        ({"noisy": "c + rng.normal(0, sigma / 2, n)"}, "at least 3.99 times the declared rho"),
        ({"many": "len(rows)"}, "besides the noisy measurements"),
        ({"many": 'asked["rows"] + int((rows[:, 1] == 0).sum()) % 2'}, "besides the noisy measurements"),
        ({"many": "150 + len(rows) // 200"}, "Run with unrelated rows, and with every noisy measurement"),
        ({"noisy": "c"}, "It drew no noise."),
        (
            {"noisy": "c + np.random.default_rng(n).normal(0, sigma, n)"},
            "The noise of draw 1 is the same in all 5 runs.",
        ),
        ({"learned": "sizes = (rows.max(axis=0) + 1).tolist()"}, "it makes a different query: draw 3 was"),
    ],
)
def test_every_fault_is_caught(peer: Peer, fault: dict[str, str], finding: str) -> None:
    stated = verdict(peer, **fault)
    assert not stated.passes and finding in stated.findings[0]


def test_a_draw_that_is_added_to_nothing_known_is_reported() -> None:
    tape = {
        "draws": [
            {"kind": "normal", "size": [2], "scale": 3.0},
            {"kind": "normal", "size": [2], "scale": 3.0, "exact": [1.0, 2.0], "told": [0.0, 4.0]},
            {"kind": "choice", "size": [2], "weights": [0.25, 0.75], "told": 1},
        ],
        "broken": {"at": 3, "then": {"kind": "choice", "size": [2]}, "now": None},
    }
    stated = gate_peers.transcript_of(tape, b"x")
    assert [draw.kind for draw in stated.draws] == ["normal", "choice"] and stated.unheard == 1
    assert stated.broken == "draw 4 was a choice draw over 2 numbers and became none"
