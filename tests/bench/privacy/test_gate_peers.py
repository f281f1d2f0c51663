from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synth.bench.peers import homes
from synth.bench.peers.catalogue import Library, Peer
from synth.bench.privacy import gate
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


def verdict(peer: Peer, **told: str) -> Verdict:
    peer.library.driver.write_text(DRIVER.format(**USUAL | told))
    return gate.of_peer(peer, epsilon=1.0, delta=1e-5)


def test_a_driver_that_spends_what_it_says_passes(peer: Peer) -> None:
    told = verdict(peer)
    assert told.passes and told.draws == 3, told


def test_a_planted_factor_of_two_is_caught(peer: Peer) -> None:
    told = verdict(peer, noisy="c + rng.normal(0, sigma / 2, n)")
    assert not told.passes and told.overspent == pytest.approx(4, rel=0.01) and told.honest != "-"


def test_the_exact_number_of_rows_in_the_table_is_caught(peer: Peer) -> None:
    assert "besides the noisy answers" in verdict(peer, many="len(rows)").findings[0]


def test_an_exact_count_of_a_common_code_is_caught(peer: Peer) -> None:
    told = verdict(peer, many='asked["rows"] + int((rows[:, 1] == 0).sum()) % 2')
    assert "besides the noisy answers" in told.findings[0]


def test_exact_counts_without_a_draw_are_caught(peer: Peer) -> None:
    told = verdict(peer, noisy="c")
    assert told.findings[0] == "No noise was heard in it." and told.by_draws == "-"


def test_what_no_neighbour_changes_is_caught_on_other_rows(peer: Peer) -> None:
    told = verdict(peer, many="150 + len(rows) // 200")
    assert len(told.findings) == 1 and "With other rows altogether and every noisy answer" in told.findings[0]


def test_noise_with_a_seed_of_its_own_is_caught(peer: Peer) -> None:
    told = verdict(peer, noisy="c + np.random.default_rng(n).normal(0, sigma, n)")
    assert told.findings == ("The noise of draw 1 is the same in all 5 runs.",)


def test_noise_that_is_drawn_twice_is_caught(peer: Peer) -> None:
    told = verdict(peer, noisy='c + np.random.default_rng(asked["seed"]).normal(0, sigma, n)')
    assert told.findings == ("The noise of draw 2 is that of draw 1 once more, up to its scale.",)


def test_codes_from_the_rows_are_caught(peer: Peer) -> None:
    told = verdict(peer, learned="sizes = (rows.max(axis=0) + 1).tolist()")
    assert "asks something else" in told.findings[0] and "its codes come from the rows" in told.findings[-1]
