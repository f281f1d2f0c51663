"""Replay the judging of a released table on neighbouring files, as whole releases are replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synth.core.progress import Progress
from synth.pipeline import judge, release
from synth.private.ledger import Ledger
from synth.release.bundle import contents
from synth.release.documents.statement import Imprint
from synth.release.opened import Bundle
from synth.release.verdict.judgement import JudgePlan
from tests.contracts.test_release_on_neighbours import (
    BY_PERSON,
    PERSON,
    REPLACED,
    ROUNDING,
    Case,
    Ear,
    Witness,
    neighbours,
    write,
)

SCHEMAS: dict[str, dict[str, Any]] = {"added": {}, "replaced": REPLACED, "several rows": BY_PERSON}


@pytest.mark.parametrize("what", SCHEMAS)
def test_one_unit_more_or_less_changes_nothing_but_the_answers(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    case = Case(method="independent", schema=SCHEMAS[what])
    plan, last = case.made(), case.schema == BY_PERSON
    protects, first = plan.schema.protects, write(tmp_path / "t.csv", [PERSON], last=last)
    earlier = Ledger(tmp_path / "earlier.sqlite")
    earlier.open_population("p", units=10**17, reason="test", protects=protects)
    package = Bundle(files=contents(release(plan, data=first, ledger=earlier, run="r"), Imprint()))
    requested = JudgePlan(release=package, epsilon=40.0, delta=1e-6, target="band")
    witness = Witness(tmp_path / "ledger.sqlite", Ear(monkeypatch))
    witness.open_population("p", units=10**17, reason="test", protects=protects)

    def stated() -> tuple[Any, list[Any]]:
        witness.opened, witness.requested, witness.exact = [], [], []
        heard: list[Progress] = []
        made = judge(requested, data=tmp_path / "t.csv", ledger=witness, run="r", report=heard.append)
        return (witness.opened, witness.requested, heard, made.document), witness.exact

    said, before = stated()
    questions, largest = said[1], 0.0
    assert [q[2]["ask"] for q in questions] == ["score", "mean_score", "mean_score", "hits"]
    for unit in neighbours(case).values():
        write(tmp_path / "t.csv", unit, last=last)
        again, after = stated()
        assert again == said
        for now, then, (_, _, question, units, _) in zip(after, before, questions, strict=True):
            rho, delta = now.loss(then)
            assert rho <= units * 1e-12 * ROUNDING and delta == 0, question
            largest = max(largest, rho / (units * 1e-12))
    # Twice the sensitivity would give a quarter at most. Released rows are random: 0.58 to 1 in 25 tries.
    assert largest > 0.35, "the cost is about what a unit can really change"
    spent = sum(q[3] for q in questions)
    assert spent == witness.balance("p").spent == said[3]["spent_units"]
    assert requested.units - 10 <= spent <= requested.units
    assert capfd.readouterr() == ("", "")
