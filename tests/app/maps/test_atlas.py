from __future__ import annotations

import json

from synth.app.maps.atlas import Atlas, Sheet


def test_a_map_survives_being_written_down() -> None:
    sheet = Sheet(name="one", depth=((0.0, 0.5), (0.25, 1.0)), points=((1.5, -2.0),))
    atlas = Atlas(x=(0.0, 1.0), y=(2.0, 3.0), sheets=(sheet, Sheet(name="two", depth=sheet.depth)), rows=1)
    assert Atlas.from_json(json.loads(json.dumps(atlas.to_json()))) == atlas
