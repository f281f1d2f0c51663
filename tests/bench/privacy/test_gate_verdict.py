from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy.gate_draws import NORMAL, Draw, Transcript
from synth.bench.privacy.gate_verdict import Gate, Heard, Verdict, judged, read, write
from synth.bench.report.tally import Outcome
from synth.bench.trials.trial import Part
from synth.core.accounting import ZCDP

SIGMA = (1 / (2 * ZCDP.rho_within(1.0, 1e-5))) ** 0.5
NOISE = np.random.default_rng(1).normal(0, 2**0.5 * SIGMA, (2, 40))


def run(*moved: float, made: bytes = b"table") -> Transcript:
    """Two draws at half the price each; `moved` is what a row moves in them."""
    draws = [
        Draw(kind=NORMAL, exact=np.eye(1, 40)[0] * by, scale=2**0.5 * SIGMA, noisy=noise)
        for noise, by in zip(NOISE, moved or (0.0, 0.0), strict=True)
    ]
    return Transcript(draws=tuple(draws), made=made)


def verdict(**stated: object) -> Verdict:
    usual = {"recorded": run(), "again": run(), "neighbours": {"with a row": run(1.0, 1.0)}} | {
        "unrelated": run()
    }
    heard = Heard(**{**usual, **stated})  # type: ignore[arg-type]
    return judged(heard, entry="one", versions="one 1.0", command="gate one", epsilon=1.0, delta=1e-5)


def test_an_entry_that_spends_what_it_says_passes_and_a_cost_is_proved_by_one_neighbour() -> None:
    assert verdict().passes and verdict().spent == pytest.approx(verdict().declared)
    halves = {"a": run(2**0.5, 0.0), "b": run(0.0, 2**0.5)}
    assert verdict(neighbours=halves).passes


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"neighbours": {"with a row": run(2.0, 2.0)}}, "at least 4 times the declared rho"),
        ({"again": run(made=b"other")}, "cannot be compared"),
        ({"again": run(1.0, 0.0)}, "cannot be compared"),
        ({"recorded": replace(run(), unheard=1), "again": replace(run(), unheard=1)}, "is unknown"),
        ({"neighbours": {"with a row": run(made=b"other")}}, "besides the noisy measurements"),
        ({"neighbours": {"with a row": replace(run(), broken="draw 2 was a and became b")}}, "draw 2"),
        ({"unrelated": run(made=b"other")}, "Run with unrelated rows, and with every noisy measurement"),
        ({"unrelated": replace(run(), draws=())}, "it makes 0 queries instead of 2."),
    ],
)
def test_every_fault_is_told(fault: dict[str, object], words: str) -> None:
    stated = verdict(**fault)
    assert not stated.passes and words in stated.findings[0]


def test_verdicts_are_kept_by_entry(tmp_path: Path) -> None:
    first = verdict()
    write([first, replace(first, entry="two", findings=("a", "b"))], tmp_path / "gate.json")
    later = replace(first, draws=9)
    write([later], tmp_path / "gate.json")
    assert read(tmp_path / "gate.json") == (later, replace(first, entry="two", findings=("a", "b")))


def test_a_verdict_holds_for_its_entry_and_version_and_for_nothing_else() -> None:
    def word(method: str, versions: str, part: Part = Part.PEER) -> str:
        gate = Gate([replace(verdict(), entry="dpmm-mst", versions=versions)])
        return gate.word(Outcome("adult", "all-2way", "", part, method, 1.0))

    (pinned,) = PEERS["dpmm-mst"].library.judged
    assert word("dpmm-mst", f"opendp==1, {pinned}") == "pass"
    assert word("dpmm-mst", f"{pinned}0") == word("dpmm-aim", pinned) == "not judged"
    assert word("blend", pinned, Part.MECHANISM) == "-"
