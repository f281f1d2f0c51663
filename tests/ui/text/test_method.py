"""The sentences of the method page."""

from __future__ import annotations

import pytest

from synth.domain import Domain
from synth.generate.registry import GENERATORS
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Outlook
from synth.project.advice import PATIENCE, Matter
from synth.project.outlook import Size
from synth.project.runs import generator_title
from synth.ui.text import method as text


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
        "*zip* by *job* has 4.1 million cells, over the limit of 1.0 million"
    )
    assert "and 1 more pair " in text.too_wide(found)
    assert "*zip* by *job*" in text.size(found)


def test_every_choice_has_words() -> None:
    assert set(text.MATTERS) == set(Matter) and set(text.PATIENCE) == set(PATIENCE)
    assert len({generator_title(name) for name in GENERATORS}) == len(GENERATORS)
    assert generator_title("one of long ago") == "one of long ago"


def test_the_account_told_is_not_promised_to_runs_that_buy_lists() -> None:
    """Grove with a bought list is priced in zCDP, and its report says so; the page must not deny it."""
    assert "unless a value list or bins that follow the data are bought" in text.guarantee(["Grove"])
