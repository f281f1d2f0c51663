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
        margins=(4.0,) * len(counts),
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


def test_a_column_of_one_value_is_described_without_a_rank() -> None:
    one = replace(data(listed=True, cells=1), title="job", labels=("baker", "blank"))
    for counts, words in (
        ((5.0, 5.0), "job: at least half of the rows have the only value, baker."),
        ((5.0, 6.0), "job: more than half of the rows are blank, and the others have the only value, baker."),
    ):
        assert panel(replace(one, synthetic=counts)).words == words
    bins = replace(one, synthetic=(5.0, 4.0), listed=False, labels=("0 to 9", "blank"))
    assert panel(bins).words == "job: at least half of the rows lie in the only bin, 0 to 9."


def test_bars_are_proportional_and_marks_stand_on_their_counts() -> None:
    drawn = svg(panel(data(listed=False)).svg)
    tall = [float(r.get("height", "nan")) for r in drawn.iter("rect")]
    assert tall == pytest.approx([tall[0], 2 * tall[0], 3 * tall[0], 0.0], abs=0.02)
    marks = list(drawn.iter("circle"))
    assert len(marks) == 4
    base = PANEL_HEIGHT - 16
    assert float(marks[2].get("cy", "nan")) == pytest.approx(base - tall[0] * 1.5, abs=0.02)
    assert float(marks[0].get("cy", "nan")) > base  # negative counts are drawn below the line
