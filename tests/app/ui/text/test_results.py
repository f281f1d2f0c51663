"""Texts of the pages that judge and publish: counts, bounds and warnings are what they are called."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from synth.app.project.results.pairs import Answer, PairTable, PairView
from synth.app.project.results.publication import ChecklistPoint, Settled, Topic
from synth.app.project.results.released import GROUPS, Held, PairBound, RedFlag, ReleaseView, Residuals
from synth.app.ui.text import pairs, release, results, steward
from synth.core.schema import Unit

GOOD = Answer(columns=12, close=12, pairs=66, doubtful=0, broken=0, rules=6, cells=1000, beyond=2)
VIEW = ReleaseView(
    columns=(),
    pairs=(),
    residuals=Residuals(),
    flags=(),
    rows=40,
    held=(Held(sentence="r", rows=0, stated=True), Held(sentence="w", rows=0, stated=False)),
    sample=pd.DataFrame(),
    measured=1,
    epsilon=1.0,
    delta=1e-9,
    confidence=0.95,
)


def test_every_use_has_a_grade_and_a_link() -> None:
    lines = results.grades(GOOD, [0.004, 0.01]).split("\n")
    assert [line.rpartition("(#")[2].rstrip(")") for line in lines] == ["columns", "pairs", "rules", "fit"]
    assert all(":green[" in line for line in lines)
    assert "median error bound **0.7 %**, **12 of 12 columns** within 1 %" in lines[0]
    assert "**66 of 66 pairs** within 20 %" in lines[1] and "**0.2 %** of 1,000 measurements" in lines[3]
    bad = replace(GOOD, close=0, doubtful=61, pairs=66, broken=1, beyond=200)
    lines = results.grades(bad, []).split("\n")
    assert all(":orange[" in line for line in lines)
    assert "**5 of 66 pairs**" in lines[1] and "before use" in lines[1] and "**1 rule** broken" in lines[2]
    few = results.grades(replace(GOOD, pairs=0, rules=0, cells=0), [])
    assert "Pairs" not in few and "Fit" not in few and "none declared" in few


def test_the_verdict_follows_from_the_warnings() -> None:
    warning = RedFlag(sentence="s", blocks=False)
    assert results.verdict(VIEW) == results.CLEAR
    assert "with 2 warnings" in results.verdict(replace(VIEW, flags=(warning, warning)))
    assert results.verdict(replace(VIEW, flags=(warning, replace(warning, blocks=True)))) == results.BLOCKED


def test_rules_are_one_line() -> None:
    assert results.rules(VIEW) == 'All 40 rows satisfy the 1 rule and 1 "never blank" column.'
    broken = replace(VIEW, held=(replace(VIEW.held[0], rows=3),))
    assert results.rules(broken) == "3 violations in 40 rows, checked against 1 rule."


MEASURED = PairBound(
    clique=("a", "b"), left="a", right="b", kind="measured", share=0.24, coarse=0.11, counted=True
)


@pytest.mark.parametrize(
    ("bound", "expected", "absent"),
    [
        (
            MEASURED,
            "**Measured in groups of values.** For the groups, the error is at most **11.0 %**",
            "Infer",
        ),
        (replace(MEASURED, coarse=None), "Too high to rely on. **Measured** at full detail.", "groups"),
        (replace(MEASURED, share=0.1, coarse=None), "at most **10.0 %** of people, about 10", "Too high"),
        (replace(MEASURED, kind="inferred", counted=False), "**Inferred** from the selection", "Measured"),
        (replace(MEASURED, kind=GROUPS, share=None), "error of the groups is at most **11.0 %**", "No bound"),
        (replace(MEASURED, kind="none", share=None, coarse=None), "**No bound.** The pair was neither", "%"),
        (replace(MEASURED, incomplete=True), "could not be read from the file", "%"),
    ],
)
def test_a_bound_is_called_what_it_is(bound: PairBound, expected: str, absent: str) -> None:
    table = PairTable(down=("x",), across=("y",), synthetic=None, noisy=None, reach=0.0)  # type: ignore[arg-type]
    view = PairView(bound=bound, own=table, merged=table, total=100.0, people=True, confidence=0.95)
    assert expected in pairs.known(view) and absent not in pairs.known(view)
    assert "scaled to 100 people" in pairs.cells(view, table) and "no interval" in pairs.cells(view, table)
    assert "scaled" not in pairs.cells(replace(view, weighed=False), table)


def test_one_pair_is_not_compared_with_itself() -> None:
    assert pairs.in_short([("a b", 0.5)]) == "Lowest bound: **a b** (50.0 %)."
    assert pairs.in_short([]) == ""


def test_warnings_are_counted_and_those_that_block_are_marked() -> None:
    found = [RedFlag(sentence=f"Column 'Pay {i}' is odd.", blocks=i == 0) for i in range(12)]
    point = ChecklistPoint(topic=Topic.FLAGS, settled=Settled.BLOCKED, facts={"flags": found})
    assert release.describe(point) == "12 warnings, see below. 1 blocks the release."
    assert [":red[" in line for line in release.flags(found).split("\n")] == [True] + [False] * 11
    assert set(release.SIGNS) == set(Settled) and len(set(release.SIGNS.values())) == 4
    assert "\\*a\\*" in release.locked(("*a*", "b"))


def test_the_private_evaluation_states_what_it_is() -> None:
    assert "Do not publish" in steward.MARK and "without noise" in steward.GATE
    assert steward.worth("Run 1", {1: 0.5, 2: 0.04}).endswith(
        "single columns **50 % of the rows**, pairs **4.0 % of the rows**."
    )
    said = steward.capped(Unit(name="patient", max_rows=3, id_column="patient_id"))
    assert "each patient keeps at most 3 rows" in said and "blank patient\\_id" in said
