"""Marks can be seen on the paper of both themes, and groups are never told apart by colour alone."""

import re
from pathlib import Path

import pytest

from synth.app.figures import marks


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


def on_paper(shade: str, paper: str) -> str:
    """A colour that lets some of the paper through, as it is seen."""
    *colour, part = [float(number) for number in re.findall(r"[\d.]+", shade)]
    ground = [int(paper[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(
        f"{round(part * a + (1 - part) * b):02x}" for a, b in zip(colour, ground, strict=True)
    )
