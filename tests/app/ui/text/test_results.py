"""The answer on one screen: a line for each question, true where nothing is wrong and where much is."""

from __future__ import annotations

from dataclasses import replace

from synth.app.project.results.pairs import Answer
from synth.app.ui.text import results as text

GOOD = Answer(
    columns=12,
    close=12,
    pairs=66,
    doubtful=0,
    merged=0,
    unknown=0,
    broken=0,
    rules=6,
    cells=1000,
    beyond=2,
)


def test_a_good_release_has_no_line_to_mend_and_a_link_in_each() -> None:
    lines = text.in_short(GOOD).split("\n")
    assert [line.rpartition("(#")[2].rstrip(")") for line in lines] == ["columns", "pairs", "rules", "fit"]
    assert all(":green[" in line for line in lines)
    assert "**12 of 12 columns** are surely within 1 %" in lines[0] and "**All 66 pairs**" in lines[1]
    assert "0.2 % of 1,000 noisy numbers" in lines[3]


def test_what_is_wrong_is_counted() -> None:
    wrong = replace(GOOD, close=1, doubtful=401, merged=398, unknown=2, pairs=402, broken=1, beyond=200)
    told = text.in_short(wrong)
    assert "**1 of 12 columns** is surely" in told and "**1 rule** broken" in told
    assert "**401 of 402 pairs** are not to be relied on" in told
    why = "(1 off by more than 20 % at worst; 398 with a bound for groups of values only; 2 without a bound)"
    assert why in told
    assert told.count(":orange[") == 3 and "20 % of 1,000" in told


def test_nothing_is_said_of_what_is_not_there() -> None:
    told = text.in_short(replace(GOOD, columns=1, close=0, pairs=0, rules=0, cells=0))
    assert "pair" not in told and "sigma" not in told and "No rule** was declared" in told
