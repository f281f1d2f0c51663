"""The sentences of the method page."""

from __future__ import annotations

from dataclasses import replace

from synth.app.project import declared
from synth.app.project.spend.advice import Advice, Matter, Standing, advise
from synth.app.project.spend.measured import Comparison, Finding, Shape, Source
from synth.app.project.store import Budget
from synth.app.ui.text import method as text
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Purpose

TABLE = declared.read(declared.demo())
SOURCE = Source(
    started="2026-11-22 17:00 UTC",
    command="python -m synth bench --sets x",
    machine="a chip",
    cores="1",
    version="0.5.0",
    commit="abc",
)


def compared(columns: int = 11, **pairs: float) -> Comparison:
    findings = [
        Finding(
            method=name,
            workload=2,
            runs=1,
            columns=off / 2,
            pairs=off,
            triples=off * 2,
            seconds=4,
            source=SOURCE,
        )
        for name, off in pairs.items()
    ]
    return Comparison(
        title="Elsewhere",
        is_invented=True,
        shape=Shape(columns=columns, ordered=5, rows=900),
        epsilon=1.0,
        delta=1e-9,
        findings=tuple(findings),
    )


def told(*among: Comparison, matter: Matter = Matter.PAIRS, epsilon: float = 1.0) -> Advice:
    return advise(TABLE, matter=matter, patience="coffee", budget=Budget(epsilon=epsilon), among=among)


def test_the_reason_is_the_benchmark_and_the_other_methods_there() -> None:
    advice = told(compared(blend=0.028, grove=0.031))
    said = text.advice(advice)
    assert said == (
        "**Blend** for 11 columns, epsilon 1. On Elsewhere (invented, 11 columns, 45 % ordered), its error "
        "for "
        f"pairs was 2.8 % in 4 s, Grove 3.1 %. {text.GUIDE_ONLY}"
    )
    assert text.TOO_SMALL in text.advice(told(compared(blend=0.0281, grove=0.028)))
    assert "at epsilon 1, its error" in text.advice(told(compared(blend=0.028, grove=0.03), epsilon=2.0))


def test_a_more_accurate_method_that_is_not_recommended_has_a_reason() -> None:
    comparison = compared(blend=0.05, aim=0.01)
    slow = tuple(replace(f, seconds=1e5 if f.method == "aim" else 1) for f in comparison.findings)
    advice = told(replace(comparison, findings=slow), matter=Matter.TRIPLES)
    advice = replace(advice, standings={**advice.standings, "aim": Standing.SLOW, "blend": Standing.ADVISED})
    reason = text.WHY_NOT[Standing.SLOW]
    said = text.advice(replace(advice, method="blend"))
    assert f"but not recommended: AIM (2.0 %) ({reason})." in said and "was 10.0 %" in said
    assert f"Not recommended: {reason}." in text.standing(advice, "aim")


def test_a_larger_budget_is_suggested_where_all_did_worse_than_single_columns() -> None:
    every = dict.fromkeys(MECHANISMS, 0.05)
    said = text.advice(told(compared(11, **every | {"independent": 0.04})))
    assert "**Independent" in said and text.BASELINE_ONLY in said


def test_every_standing_and_purpose_has_words() -> None:
    assert set(text.WHY_NOT) | {Standing.ADVISED, Standing.SUITED} == set(Standing)
    assert set(text.PURPOSES) == set(Purpose) == {kind.purpose for kind in MECHANISMS.values()}
