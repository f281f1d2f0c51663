import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from synth.release.documents.charts import PANEL_HEIGHT, Panel, panel

EVIL = "<script>alert('x')</script>"


def data(listed: bool, cells: int = 3, noisy: bool = True, blank: bool = True) -> Panel:
    counts = (*(10.0 * (i + 1) for i in range(cells)), *([0.0] * blank))
    return Panel(
        title=EVIL,
        labels=(*(f"{EVIL}{i}" for i in range(cells)), *(["blank"] * blank)),
        may_be_blank=blank,
        synthetic=counts,
        noisy=tuple(c - 15.0 for c in counts) if noisy else None,
        margin=4.0,
        listed=listed,
        ends=(EVIL, "z"),
    )


def svg(text: str) -> ET.Element:
    """The picture of a figure, which must be well-formed."""
    return ET.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])


def test_pictures_are_well_formed_and_escape_hostile_labels() -> None:
    for listed in (True, False):
        text = panel(data(listed)).svg
        svg(text)
        assert "<script" not in text


def test_bars_are_proportional_and_marks_stand_on_their_counts() -> None:
    drawn = svg(panel(data(listed=False)).svg)
    tall = [float(r.get("height", "nan")) for r in drawn.iter("rect")]
    assert tall == pytest.approx([tall[0], 2 * tall[0], 3 * tall[0], 0.0], abs=0.02)
    marks = list(drawn.iter("circle"))
    assert len(marks) == 4
    base = PANEL_HEIGHT - 16
    assert float(marks[2].get("cy", "nan")) == pytest.approx(base - tall[0] * 1.5, abs=0.02)
    assert float(marks[0].get("cy", "nan")) > base  # negative counts are drawn below the line


def test_the_words_for_a_screen_reader_say_no_more_than_the_picture() -> None:
    drawn = svg(panel(data(listed=False, blank=False)).svg)
    assert drawn.get("aria-label") == f"{EVIL}: {EVIL}2 is the most frequent of 3 bins."
    alone = replace(data(listed=True, cells=1, blank=False), labels=("on",))
    assert svg(panel(alone).svg).get("aria-label") == f"{EVIL}: on is its only value."
    blank = data(listed=True)
    assert str(svg(panel(blank).svg).get("aria-label")).endswith("is the most frequent of 3 values.")
    often = replace(blank, synthetic=(*blank.synthetic[:-1], 1000.0))
    said = f"{EVIL}: more rows are blank than have any one of its 3 values."
    assert svg(panel(often).svg).get("aria-label") == said
    ranged = replace(data(listed=False), synthetic=(1.0, 2.0, 3.0, 1000.0))
    said = f"{EVIL}: more rows are blank than lie in any one of its 3 bins."
    assert svg(panel(ranged).svg).get("aria-label") == said


def test_long_lists_say_how_many_are_left_out() -> None:
    text = panel(data(listed=True, cells=30)).svg
    assert "and 25 more values" in text
    assert len(list(svg(text).iter("rect"))) == 6
