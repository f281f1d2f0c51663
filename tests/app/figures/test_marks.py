"""Marks can be seen on the paper of both themes, and groups are never told apart by colour alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synth.app.figures import budget, marks, results
from synth.app.project.results.released import ColumnView

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

INKS = ("#262730", "#fafafa")
"""What the browser makes of `marks.INK` in the two themes; `tests/browser/test_pairs.py` looks."""


@pytest.mark.parametrize("paper", PAPERS)
def test_marks_can_be_seen_in_both_themes(paper: str) -> None:
    config = (Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text()
    assert f'backgroundColor = "{paper}"' in config
    for colour in (marks.SYNTHETIC, marks.NOISY, marks.SPENT, marks.NEUTRAL):
        assert contrast(colour, paper) > 2.8


@pytest.mark.parametrize(("ink", "paper"), list(zip(INKS, PAPERS, strict=True)))
def test_numbers_can_be_read_on_every_shade_of_both_themes(ink: str, paper: str) -> None:
    *faint, strongest = [on_paper(shade, paper) for shade in marks.SHADES]
    assert all(contrast(ink, colour) > 4.5 for colour in faint)
    assert contrast(marks.PAPER, strongest) > 4.5


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_good_fades_into_the_paper_and_what_is_bad_stands_out(paper: str) -> None:
    seen = [contrast(on_paper(shade, paper), paper) for shade in marks.SHADES]
    assert seen == sorted(seen) and seen[0] < 1.3 and seen[-1] > 2.8


def on_paper(shade: str, paper: str) -> str:
    """A colour that lets some of the paper through, as it is seen."""
    *colour, part = [float(number) for number in re.findall(r"[\d.]+", shade)]
    ground = [int(paper[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(
        f"{round(part * a + (1 - part) * b):02x}" for a, b in zip(colour, ground, strict=True)
    )


def test_no_chart_sets_the_colour_of_its_text_or_paper() -> None:
    shown = [results.marginal(VIEW), budget.odds(0.7), budget.ledger({"this run": 0.2, "left": 0.8})]
    for figure in [one.marks for one in shown]:
        assert figure is not None
        assert figure.layout.font.color is None
        assert figure.layout.xaxis.tickfont.color is None
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
