"""The sentences of the method page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from synth.app.figures.method import methods
from synth.app.project import declared
from synth.app.project.runs import generator_title
from synth.app.project.spend.advice import PATIENCE, Advice, Matter, Standing, advise
from synth.app.project.spend.measured import Comparison, Finding, Shape, Source
from synth.app.project.spend.outlook import Size
from synth.app.project.store import Budget
from synth.app.ui.text import method as text
from synth.core.domain import Domain
from synth.core.numbers import TIMES
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Outlook, Purpose
from synth.models.registry import GENERATORS


def test_every_card_can_be_written() -> None:
    for kind in MECHANISMS.values():
        mechanism = kind()
        said = text.card(mechanism, mechanism.outlook(Domain(("a", "b"), (3, 4)), k=2))
        assert mechanism.summary in said and mechanism.device in said and "None" not in said
        assert said.count(text.NOT_TIMED.capitalize()) <= 1
        assert not re.search(r"\blabels?\b|--\w|gradients?\b", said), kind.title


def test_times_are_bands() -> None:
    assert text.time(Outlook(fastest=0.1, slowest=3, model_mb=8)) == "seconds"
    assert text.time(Outlook(fastest=3, slowest=600, model_mb=8)) == "seconds to minutes"
    assert text.time(Outlook(fastest=7_200, slowest=25_200, model_mb=8)) == "2 hours to 7 hours"
    assert text.time(Outlook(fastest=200_000, slowest=200_000, model_mb=8)) == "2 days"
    assert text.memory(Outlook(fastest=1, slowest=2, model_mb=0.01)) == "model below 1 MB"


def test_a_card_tells_the_time_of_the_fast_option_and_what_this_machine_computes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism, slow = MECHANISMS["independent"](), Outlook(fastest=25_000, slowest=25_000, model_mb=8)
    monkeypatch.setattr(GENERATORS[mechanism.generator], "on_device", True)
    quick = Outlook(fastest=4, slowest=4, model_mb=8)
    said = text.card(mechanism, slow, here="cuda", faster={"Mixture": quick, "New": None})
    assert "7 hours by default; seconds with *Mixture*; time unknown with *New*" in said
    assert said.endswith(f"{mechanism.device} (here: GPU)")
    assert text.fit_time("By it.", (1, 600)) == "By it. Time: seconds to minutes."
    assert text.fit_time("By it.", None) == text.run_time("By it.", None) == "By it."
    assert text.run_time("By it.", quick) == "By it. Time of a run on this machine: seconds."
    assert "seconds. As published (a setting): 7 hours." in text.run_time("By it.", quick, literal=slow)
    assert text.run_time("By it.", slow, is_literal=True).endswith("this machine as published: 7 hours.")


def test_the_columns_to_blame_are_named() -> None:
    found = Size(
        forced=10,
        widest=("zip", "job", 4_100_000),
        too_wide=(("zip", "job", 4_100_000), ("zip", "age", 2_000_000)),
        limit=1_048_576,
    )
    assert text.too_wide(found).startswith(
        f"*zip*{TIMES}*job* has 4.1 million cells, over the limit of 1.0 million"
    )
    assert "1 more pair." in text.too_wide(found)
    assert f"*zip*{TIMES}*job*" in text.size(found)


def test_every_choice_has_words() -> None:
    assert set(text.MATTERS) == set(Matter) and set(text.PATIENCE) == set(PATIENCE)
    assert len({generator_title(name) for name in GENERATORS}) == len(GENERATORS)
    assert generator_title("one of long ago") == "one of long ago"


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


def test_without_a_similar_benchmark_the_reason_is_what_the_method_suits() -> None:
    said = text.advice(told(compared(columns=300, blend=0.01, grove=0.02)))
    assert text.NOT_COMPARED in said and said.count("%") == 0 and MECHANISMS["blend"].suits in said


def test_limits_of_the_recommended_method_are_shown() -> None:
    advice = told(compared(blend=0.01, aim=0.05), matter=Matter.TRIPLES)
    said = text.advice(advice)
    assert "error for triples was 2.0 %" in said
    assert said.endswith(f"Less accurate for: {MECHANISMS['blend'].avoid}")
    assert "error for triples 2.0 %" in text.standing(advice, "blend")


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


def test_figures_of_other_sources_are_shown_and_not_ranked() -> None:
    other = replace(SOURCE, until="2026-11-24 02:48 UTC", sessions=28, command="python -m synth bench --old")
    comparison = compared(blend=0.03, grove=0.04, aim=0.001)
    *two, aim = comparison.findings
    comparison = replace(comparison, findings=(*two, replace(aim, source=other)))
    advice = told(comparison)
    found = text.findings(advice, comparison)
    assert advice.method == "blend" and list(found) == ["blend", "grove", "aim"]
    assert "error for pairs 0.1 %" in text.standing(advice, "aim")
    sources = text.sources(comparison, found)
    assert (
        "900 rows" in sources and "`python -m synth bench --sets x`" in sources and "0.5.0 (abc)" in sources
    )
    assert "to 2026-11-24 02:48 UTC in 28 sessions" in sources and "--old" in sources
    figure = methods(found, Matter.PAIRS, ranked=advice.findings)
    assert [trace.name for trace in figure.marks.data] == ["ranked", "other source"]
    assert list(figure.table["Pairs"]) == ["3.00 %", "4.00 %", "0.10 %"]


def test_every_standing_and_purpose_has_words() -> None:
    assert set(text.WHY_NOT) | {Standing.ADVISED, Standing.SUITED} == set(Standing)
    assert set(text.PURPOSES) == set(Purpose) == {kind.purpose for kind in MECHANISMS.values()}
