"""A place on the map is told by the columns that make it, of the very rows that lie there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from synth.app.maps.atlas import Atlas, Sheet
from synth.app.project.results import brush, released
from synth.app.project.runs import finished
from synth.app.project.store import Project

NOTHING, DENSE = 1.0, 0.1


def two_places(points: tuple[tuple[float, float], ...], rows: tuple[int, ...], name: str = "run-1") -> Atlas:
    """A grid of five cells by one, dense at both ends."""
    depth = ((DENSE, DENSE, NOTHING, NOTHING, DENSE),)
    sheet = Sheet(name=name, depth=depth, points=points, rows=rows)
    return Atlas(x=(0.0, 1.0, 2.0, 3.0, 4.0), y=(0.0,), sheets=(sheet,), rows=len(points))


def test_places_hang_together_and_the_fullest_comes_first() -> None:
    drawn = two_places(((4.1, 0.0), (0.1, 0.0), (0.9, 0.0), (2.2, 0.0)), (7, 8, 9, 10))
    one, other = brush.places(drawn)
    assert (one.letter, one.spots) == ("A", {"run-1": [1, 2]})
    assert (other.letter, other.spots, other.x) == ("B", {"run-1": [0]}, 4.0)
    assert one.x in (0.0, 1.0)


def test_the_columns_that_make_a_place_come_first(twice: Callable[[], Project]) -> None:
    runs = finished(twice())
    codes = released.table_of(runs[0].folder).codes
    order = np.argsort(codes[:, 1], kind="stable")
    rows = tuple(int(row) for row in np.concatenate([order[:40], order[-40:]]))
    drawn = two_places(tuple((0.0, 0.0) for _ in rows), rows)
    first, second = brush.traits(drawn, runs, {"run-1": range(40)})
    assert (first.title, first.value, first.inside) == ("ward", "a", 1.0)
    everywhere = float((codes[list(rows), 1] == codes[order[0], 1]).mean())
    assert first.everywhere == pytest.approx(everywhere) and first.distance == pytest.approx(1 - everywhere)
    assert second.distance < first.distance
    assert brush.traits(drawn, runs, {"run-1": []}) == () == brush.traits(drawn, runs, {})
