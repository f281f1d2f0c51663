from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from synth.bench.report.charts import HEIGHT, WIDTH, Mean, Scale, Series, chart, strip

SVG = {"": "http://www.w3.org/2000/svg"}


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


@pytest.mark.parametrize(("low", "high"), [(0.011, 0.29), (0.9, 1.3), (1.0, 1e7)])
def test_ticks_lie_inside_and_are_few(low: float, high: float) -> None:
    ticks = Scale(low, high, 0, 100).ticks()
    assert all(low <= t <= high for t in ticks) and 1 <= len(ticks) <= 8


def test_a_strip_orders_marks_by_value() -> None:
    rows = [
        Series(name=n, place=0, points=(Mean(x=0, y=y, low=y / 2, high=y * 2),))
        for n, y in (("a", 0.1), ("b", 0.2))
    ]
    svg = strip(rows, x="error", levels=[("floor", 0.05)])
    ElementTree.fromstring(svg)
    (a, b) = marks(svg)
    assert a[0] < b[0] and a[1] < b[1]


def test_an_axis_between_round_numbers_still_has_ticks_and_small_differences_look_small() -> None:
    close = [series((1.0, 0.031), (2.0, 0.032))]
    svg = chart(close, x="x", y="y")
    assert len(re.findall(r'text-anchor="end"', svg)) >= 2
    (a, b) = marks(svg)
    assert 0 < a[1] - b[1] < HEIGHT / 20


def test_grey_series_lie_under_the_others_and_have_their_names() -> None:
    grey = Series(name="<grey>", points=series((1, 1), (2, 2)).points, place=3, muted=True)
    svg = chart([series((1, 2), (2, 1)), grey], x="x", y="y")
    ElementTree.fromstring(svg)
    assert svg.index("line muted") < svg.index("line s0") and "<title>&lt;grey&gt;</title>" in svg
