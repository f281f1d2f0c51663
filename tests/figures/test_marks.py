"""Marks can be seen on the paper of both themes, and groups are never told apart by colour alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.figures import budget, marks, results
from synth.project.released import ColumnView

VIEW = ColumnView(
    name="ward",
    title="Ward",
    labels=("a", "b", "(blank)"),
    synthetic=(30.0, 12.0, 0.0),
    noisy=(28.0, 15.0, -4.0),
    whisker=6.5,
    people=True,
)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


PAPERS = ("#fdfcf9", "#11181c")
"""The backgrounds of the two themes in `.streamlit/config.toml`."""


@pytest.mark.parametrize("paper", PAPERS)
def test_marks_can_be_seen_in_both_themes(paper: str) -> None:
    config = (Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text()
    assert f'backgroundColor = "{paper}"' in config
    for colour in (marks.SYNTHETIC, marks.NOISY, marks.SPENT, marks.NEUTRAL):
        assert contrast(colour, paper) > 2.8


def test_numbers_can_be_read_on_every_shade() -> None:
    for share in (0.01, 0.07, 0.15, 0.3, 0.9, None):
        colour = results.shade(share)
        assert contrast(results.ink_on(colour), colour) > 4.5


def test_no_chart_sets_the_colour_of_its_text_or_paper() -> None:
    shown = [results.marginal(VIEW), budget.odds(0.7), budget.ledger({"this run": 0.2, "left": 0.8})]
    for figure in [one.marks for one in shown]:
        assert figure is not None
        assert figure.layout.font.color is None
        assert figure.layout.xaxis.tickfont.color is None
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
