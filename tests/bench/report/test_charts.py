from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from synth.bench.report.charts import HEIGHT, WIDTH, Mean, Series, chart, strip


def series(*points: tuple[float, float], name: str = "aim", place: int = 0) -> Series:
    return Series(name=name, points=tuple(Mean(x=x, y=y, low=y, high=y) for x, y in points), place=place)


def marks(svg: str) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)]


def test_a_factor_is_the_same_distance_everywhere_on_a_logarithmic_axis() -> None:
    drawn = marks(chart([series((0.1, 0.1), (1.0, 0.01), (10.0, 0.001))], x="epsilon", y="error"))
    (a, b, c) = drawn
    assert b[0] - a[0] == pytest.approx(c[0] - b[0], abs=0.2)
    assert b[1] - a[1] == pytest.approx(c[1] - b[1], abs=0.2) and b[1] > a[1]


def test_everything_lies_on_the_sheet_and_is_well_formed() -> None:
    wide = Series(name="<b>", points=(Mean(x=1, y=0.01, low=-0.02, high=0.04),), place=9, dashed=True)
    svg = chart([wide, series((5, 3.0))], x="a & b", y="y", levels=[("floor", 0.001)])
    ElementTree.fromstring(svg)
    numbers = [(float(x), float(y)) for x, y in re.findall(r'x1="([\d.-]+)"[^>]*y1="([\d.-]+)"', svg)]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in numbers)
    assert "&lt;b&gt;" in svg and "<b>" not in svg


def test_a_chart_of_nothing_is_nothing() -> None:
    assert chart([], x="x", y="y") == "" and strip([], x="x") == ""
