"""The sentences of the method page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

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


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_card_can_be_written(name: str) -> None:
    mechanism = MECHANISMS[name]()
    said = text.card(mechanism, mechanism.outlook(Domain(("a", "b"), (3, 4)), k=2))
    assert mechanism.summary in said and mechanism.device in said and "None" not in said
    assert said.count(text.NOT_TIMED.capitalize()) <= 1


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
    assert "7 hours by itself; seconds with *Mixture*; time not known yet with *New*" in said
    assert said.endswith(f"{mechanism.device} (here the card)")
    assert text.fit_time("By it.", (1, 600)) == "By it. It takes seconds to minutes."
    assert text.fit_time("By it.", None) == text.run_time("By it.", None) == "By it."
    assert text.run_time("By it.", quick) == "By it. A run takes seconds on this machine."
    assert "machine. As published it would take 7 hours;" in text.run_time("By it.", quick, literal=slow)
    assert text.run_time("By it.", slow, is_literal=True).endswith("7 hours on this machine as published.")


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
    assert "and 1 more pair " in text.too_wide(found)
    assert f"*zip*{TIMES}*job*" in text.size(found)


def test_every_choice_has_words() -> None:
    assert set(text.MATTERS) == set(Matter) and set(text.PATIENCE) == set(PATIENCE)
    assert len({generator_title(name) for name in GENERATORS}) == len(GENERATORS)
    assert generator_title("one of long ago") == "one of long ago"


def test_the_account_told_is_not_promised_to_runs_that_buy_lists() -> None:
    """Grove with a bought list is priced in zCDP, and its report says so; the page must not deny it."""
    told = text.guarantee(["Grove"], ["TabDDPM"])
    assert "unless value lists or bins that follow the data are bought" in told
    assert "All others, and those that buy, are added up in zero-concentrated" in told
    assert "TabDDPM trains on random samples" in told


def test_cards_speak_of_columns_to_predict_and_not_of_labels_or_command_lines() -> None:
    """A label is what a code is called, everywhere else in the app."""
    for kind in MECHANISMS.values():
        said = f"{kind.summary} {kind.suits} {kind.avoid}"
        assert not re.search(r"\blabels?\b|--\w|gradients?\b", said), kind.title


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


def test_the_reason_is_the_table_it_was_measured_on_and_the_others_there() -> None:
    advice = told(compared(blend=0.028, grove=0.031))
    said = text.advice(advice)
    assert said.startswith(
        "For 11 columns and pairs at epsilon 1: **Blend**, because on the compared table most like yours, "
        "Elsewhere (invented, 11 columns, half of them ordered), its pairs were off by 2.8 %, in 4 s; "
        "those of Grove by 3.1 %."
    )
    assert text.GUIDE_ONLY in said and text.TOO_SMALL not in said
    assert text.TOO_SMALL in text.advice(told(compared(blend=0.0281, grove=0.028)))
    at_two = text.advice(told(compared(blend=0.028, grove=0.03), epsilon=2.0))
    assert "at epsilon 2: **Blend**" in at_two and "The comparison was made at epsilon 1." in at_two


def test_where_nothing_is_alike_the_reason_is_the_cards() -> None:
    said = text.advice(told(compared(columns=300, blend=0.01, grove=0.02)))
    assert "Methods have not been compared on a table like yours (11 columns" in said
    assert said.count("%") == 0 and MECHANISMS["blend"].suits in said
    assert text.compared(told()) == ""


def test_what_its_card_warns_of_is_told_beside_the_figures_it_is_recommended_for() -> None:
    advice = told(compared(blend=0.01, aim=0.05), matter=Matter.TRIPLES)
    said = text.advice(advice)
    assert "**Blend**, because on the compared table" in said and "off by 2.0 %" in said
    assert said.endswith(f"Mind what its card says: {MECHANISMS['blend'].avoid}")
    assert "No method suits this well" not in said
    assert "triples were off by 2.0 %" in text.standing(advice, "blend")


def test_what_was_closer_and_is_not_recommended_is_told_with_the_reason() -> None:
    comparison = compared(blend=0.05, aim=0.01)
    slow = tuple(replace(f, seconds=1e5 if f.method == "aim" else 1) for f in comparison.findings)
    advice = told(replace(comparison, findings=slow), matter=Matter.TRIPLES)
    advice = replace(advice, standings={**advice.standings, "aim": Standing.SLOW, "blend": Standing.ADVISED})
    said = text.advice(replace(advice, method="blend"))
    assert "It is recommended for what its card says" in said and "because on" not in said
    assert "off by 10.0 %" in said and "it may take longer than you want to wait: AIM (2.0 %)" in said
    assert text.STANDINGS[Standing.SLOW] in text.standing(advice, "aim")


def test_where_all_did_worse_than_single_columns_a_larger_budget_is_spoken_of() -> None:
    every = dict.fromkeys(MECHANISMS, 0.05)
    said = text.advice(told(compared(11, **every | {"independent": 0.04})))
    assert "**Independent" in said and text.BASELINE_ONLY in said


def test_figures_of_other_commands_are_shown_and_not_ranked() -> None:
    other = replace(SOURCE, started="2026-11-20 17:00 UTC", command="python -m synth bench --old")
    comparison = compared(blend=0.03, grove=0.04, aim=0.001)
    *two, aim = comparison.findings
    advice = told(replace(comparison, findings=(*two, replace(aim, source=other))))
    said = text.compared(advice)
    assert advice.method == "blend" and "aim" not in advice.findings
    assert said.index("| Grove |") < said.index(text.OTHER_SOURCES) < said.index("| AIM |")
    assert "--old" in said and "pairs were off by 0.1 %" in text.standing(advice, "aim")


def test_figures_of_many_sessions_are_not_put_down_to_one_day_or_commit() -> None:
    many = replace(SOURCE, until="2026-11-24 02:48 UTC", sessions=28, commit="abc, def")
    comparison = compared(blend=0.03, grove=0.04)
    findings = tuple(replace(f, source=many) for f in comparison.findings)
    said = text.compared(told(replace(comparison, findings=findings)))
    assert "in 28 sessions, the first begun 2026-11-22 17:00 UTC and the last 2026-11-24 02:48 UTC" in said
    assert "(commits abc, def), and which session gave which figure was not kept" in said


def test_a_comparison_is_told_whole_with_its_command() -> None:
    said = text.compared(told(compared(blend=0.028, grove=0.03)))
    assert "| Blend | 1.4 % | 2.8 % | 5.6 % | 4 s | 1 |" in said and "900 rows" in said
    assert "`python -m synth bench --sets x`" in said and "0.5.0 (abc)" in said


def test_every_standing_and_purpose_has_words() -> None:
    assert set(text.STANDINGS) == set(Standing) and set(text.PURPOSES) == set(Purpose)
    assert {kind.purpose for kind in MECHANISMS.values()} == set(Purpose)
