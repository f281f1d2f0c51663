from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.bench.peers.catalogue import PEERS
from synth.bench.privacy.gate_entries import OURS
from synth.bench.privacy.gate_tables import MIXED
from synth.bench.privacy.gate_transcript import CHOICE, NORMAL, Draw, Transcript
from synth.bench.privacy.gate_verdict import Gate, Heard, Verdict, judged, read, write
from synth.bench.report.tally import Outcome
from synth.bench.trials.trial import Part
from synth.core.accounting import ZCDP

DECLARED = ZCDP.rho_within(1.0, 1e-5)
SIGMA = (1 / (2 * DECLARED)) ** 0.5
NEIGHBOURS = [*MIXED.neighbours()]
COUNTS = 100.0 * np.arange(1, 41)


def run(*, moved: float = 0.0, sigma: float = SIGMA, made: bytes = b"table", cells: int = 40) -> Transcript:
    noise = np.random.default_rng(1).normal(0, sigma, cells)
    exact = np.resize(COUNTS, cells) + np.eye(1, cells)[0] * moved
    told = np.resize(COUNTS, cells) + noise
    return Transcript(draws=(Draw(kind=NORMAL, exact=exact, scale=sigma, told=told),), made=made)


def two(*, moved: tuple[float, float] = (0.0, 0.0), first: int = 40) -> Transcript:
    """Two draws at half the price each; `moved` is what a row moves in them."""
    rng, scale, draws = np.random.default_rng(8), 2**0.5 * SIGMA, []
    for size, move in zip((first, 40), moved, strict=True):
        told = np.resize(COUNTS, size) + rng.normal(0, scale, size)
        exact = np.resize(COUNTS, size) + np.eye(1, size)[0] * move
        draws.append(Draw(kind=NORMAL, exact=exact, scale=scale, told=told))
    return Transcript(draws=tuple(draws), made=b"table")


def heard(**told: object) -> Heard:
    made = {
        "table": MIXED.name,
        "recorded": run(),
        "again": run(),
        "replayed": [(one, run(moved=-1.0)) for one in NEIGHBOURS],
        "swapped": run(cells=60),
    }
    return Heard(**{**made, **told})  # type: ignore[arg-type]


def verdict(*runs: Heard) -> Verdict:
    return judged(runs, entry="one", versions="one 1.0", command="gate one", epsilon=1.0, delta=1e-5)


def test_an_entry_that_spends_what_it_says_passes() -> None:
    told = verdict(heard())
    assert told.passes and told.spent == pytest.approx(told.declared) and told.by_draws == told.honest == "1"


def test_half_the_noise_is_four_times_the_budget_and_both_columns_say_so() -> None:
    half = {"sigma": SIGMA / 2}
    told = verdict(
        heard(
            recorded=run(**half),
            again=run(**half),
            replayed=[(n, run(moved=-1.0, **half)) for n in NEIGHBOURS],
        )
    )
    assert not told.passes and "at least 4 times the declared rho" in told.findings[0]
    assert float(told.by_draws) > 1.9 and float(told.honest) < 0.55


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"again": run(made=b"other")}, "cannot be compared"),
        (
            {
                "recorded": replace(run(), unheard=1),
                "again": replace(run(), unheard=1),
                "replayed": [(n, replace(run(), unheard=1)) for n in NEIGHBOURS],
            },
            "could not be told",
        ),
        (
            {"replayed": [(n, run(moved=-1, made=b"other")) for n in NEIGHBOURS]},
            "besides the noisy answers",
        ),
        (
            {"replayed": [(n, replace(run(), broken="draw 2 was a and became b")) for n in NEIGHBOURS]},
            "draw 2",
        ),
        ({"swapped": run()}, "its codes come from the rows"),
        ({"elsewhere": run(made=b"other")}, "With other rows altogether and every noisy answer"),
        ({"elsewhere": replace(run(), draws=())}, "it asks fewer questions: 0 instead of 1."),
        ({"elsewhere": two()}, "it asks more questions: 2 instead of 1."),
        ({"repeated": [run(), run()]}, "The noise of draw 1 is the same in all 3 runs."),
        ({"again": replace(run(), draws=run().draws * 2)}, "cannot be compared"),
    ],
)
def test_every_fault_is_told(fault: dict[str, object], words: str) -> None:
    told = verdict(heard(**fault))
    assert not told.passes and words in told.findings[0]


def test_a_cost_is_proved_by_one_neighbour_alone() -> None:
    """Either half of the rows has a draw of its own: a row costs all of one and nothing of the other."""
    halves = [(n, two(moved=(2**0.5, 0.0) if i % 2 else (0.0, 2**0.5))) for i, n in enumerate(NEIGHBOURS)]
    told = verdict(heard(recorded=two(), again=two(), replayed=halves))
    assert told.passes and told.spent == pytest.approx(told.declared)
    assert "its draws cost 2 times the declared rho, but no neighbour" in told.notes[0]
    both = [(n, two(moved=(1.0, 1.0))) for n in NEIGHBOURS]
    told = verdict(heard(recorded=two(), again=two(), replayed=both))
    assert told.passes and told.spent == pytest.approx(told.declared) and not told.notes


def test_what_cannot_be_replayed_is_not_judged() -> None:
    told = verdict(heard(again=run(moved=1.0)))
    assert told.word == "not judged" and not told.passes and told.honest == "-"


def test_verdicts_are_kept_by_entry(tmp_path: Path) -> None:
    first = verdict(heard())
    write([first, replace(first, entry="two")], tmp_path / "gate.json")
    later = replace(first, draws=9)
    write([later], tmp_path / "gate.json")
    assert read(tmp_path / "gate.json") == (later, replace(first, entry="two"))


def test_an_impossible_choice_is_an_unbounded_cost(tmp_path: Path) -> None:
    draws = [Draw(kind=CHOICE, exact=np.array(logs)) for logs in ([0.0, -np.inf], [-np.inf, 0.0])]
    here, there = (Transcript(draws=(draw,), made=b"table") for draw in draws)
    told = verdict(heard(recorded=here, again=here, replayed=[(n, there) for n in NEIGHBOURS]))
    assert not told.passes and (told.by_draws, told.honest) == ("unbounded", "-")
    write([told], tmp_path / "gate.json")
    assert read(tmp_path / "gate.json") == (told,)


def test_a_unit_of_two_rows_is_judged_too() -> None:
    alike = [(n, run(moved=2.0)) for n in MIXED.of_pairs()]
    told = verdict(heard(pairs=(run(), alike)))
    assert told.findings == ("Its draws cost at least 4 times the declared rho where a unit has two rows.",)
    assert verdict(
        heard(pairs=(run(sigma=2 * SIGMA), [(n, run(moved=2.0, sigma=2 * SIGMA)) for n in MIXED.of_pairs()]))
    ).passes


def test_of_several_tables_the_one_that_shows_most_counts_and_is_named() -> None:
    fine = replace(heard(), table="other columns")
    over = replace(heard(replayed=[(n, run(moved=-2.0)) for n in NEIGHBOURS]), table="other columns")
    assert verdict(heard(), fine).passes and verdict(heard(), fine).draws == 2
    assert (
        verdict(heard(), fine).notes == ("Judged on other columns as well.",) and not verdict(heard()).notes
    )
    for both in ((heard(), over), (over, heard())):
        told = verdict(*both)
        assert told.findings == ("Its draws cost at least 4 times the declared rho.",)
        assert told.spent == pytest.approx(4 * told.declared) and told.honest != "-"
    silent = replace(heard(swapped=run()), table="other columns")
    (finding,) = verdict(heard(), silent).findings
    assert finding.startswith("On other columns: With more codes declared")


def ours(method: str, variant: str = "") -> Outcome:
    return Outcome("adult", "all-2way", variant, Part.MECHANISM, method, 1.0)


def test_a_verdict_holds_for_what_was_judged_and_for_nothing_else() -> None:
    gate = Gate([replace(verdict(heard()), entry="rap", versions=OURS)])
    assert all(gate.counts(ours("rap", variant)) for variant in ("", "rules merged cells=3", "top=2"))
    assert gate.counts(ours("rap+mixture"))
    for one in (ours("rap", "half_spaces=0.5"), ours("rap", "rules epochs=1"), ours("aim")):
        assert gate.word(one) == "not judged" and not gate.counts(one)
    looked = Gate([replace(verdict(heard()), entry="absyn", versions=OURS)])
    assert looked.word(ours("absyn+compress")) == looked.word(ours("absyn+compress+refined")) == "not judged"
    assert looked.word(ours("absyn+refined")) == "pass"


def test_a_verdict_on_a_library_holds_for_its_version_exactly() -> None:
    outcome = Outcome("adult", "all-2way", "", Part.PEER, "dpmm-mst", 1.0)
    one = replace(verdict(heard()), entry="dpmm-mst")
    (pinned,) = PEERS["dpmm-mst"].library.pinned[:1]
    assert Gate([replace(one, versions=f"opendp==0.12.1, {pinned}")]).word(outcome) == "pass"
    assert Gate([replace(one, versions=f"{pinned}0, opendp==0.12.1")]).word(outcome) == "not judged"


def test_a_verdict_on_another_version_of_ours_is_not_read(tmp_path: Path) -> None:
    one = replace(verdict(heard()), entry="mst+compress", versions=f"{OURS}, commit 1")
    kept = tmp_path / "gate.json"
    write([one, replace(one, entry="mst", versions="marginalia 0.0.1, commit 1")], kept)
    assert read(kept) == (one,)
