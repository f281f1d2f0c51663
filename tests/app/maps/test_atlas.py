from __future__ import annotations

import json

import pytest

from synth.app.maps.atlas import CROWD, Atlas, Sheet, seconds


def test_a_map_survives_being_written_down() -> None:
    sheet = Sheet(name="one", depth=((0.0, 0.5), (0.25, 1.0)), points=((1.5, -2.0),))
    atlas = Atlas(x=(0.0, 1.0), y=(2.0, 3.0), sheets=(sheet, Sheet(name="two", depth=sheet.depth)), rows=1)
    assert Atlas.from_json(json.loads(json.dumps(atlas.to_json()))) == atlas


def test_more_rows_and_more_tables_take_longer() -> None:
    assert seconds(1000, 2) < seconds(2000, 2) < seconds(2000, 3)
    measured = {(2_000, 3): 34.4, (10_000, 3): 84.8}
    assert {of: seconds(*of) for of in measured} == pytest.approx(measured, rel=0.05)
    below, above = seconds(CROWD // 2 - 1, 2), seconds(CROWD // 2, 2)
    assert below < 1.1 * above and above < 1.1 * below, "told alike on both sides of the limit"
