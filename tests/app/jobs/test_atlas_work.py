"""A map of synthetic tables from bundles alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.app.jobs.kinds.atlas import atlas, read
from synth.app.jobs.store import Job
from synth.app.jobs.work import release
from synth.app.maps import tsne
from synth.app.maps.atlas import Atlas
from synth.core.errors import Mistake
from synth.core.progress import silent


@pytest.fixture
def places(toy, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The bundles of three finished runs, the last with a column less; the private file is gone."""
    monkeypatch.setattr(tsne, "EARLY", 25)
    monkeypatch.setattr(tsne, "LATE", 50)
    columns = [c for c in toy.schema["columns"] if c["name"] != "ward"]
    narrow = {**toy.schema, "columns": [*columns, {"name": "ward", "kind": "drop"}]}
    made = {}
    for name, schema in (("toy-1", toy.schema), ("toy-2", toy.schema), ("toy-3", narrow)):
        spec = replace(toy, run=name, schema=schema, method="independent", epsilon=0.5, out=toy.out + name)
        release(Job.create(spec).spec(), silent)
        made[name] = Path(spec.out)
    Path(toy.data).unlink()
    return made


def test_those_that_are_alike_are_on_the_map(places: dict[str, Path]) -> None:
    tables = {name: read(place) for name, place in places.items()}
    both = {name: tables[name] for name in ("toy-1", "toy-2")}
    answer = atlas(both, {}, rows=200, report=silent)
    assert [s.name for s in Atlas.from_json(answer["atlas"]).sheets] == ["toy-1", "toy-2"]
    assert answer["unmapped"] == []
    three = {"toy-3": tables["toy-3"], **both}
    assert atlas(three, {}, rows=200, report=silent)["unmapped"] == ["toy-3"]
    with pytest.raises(Mistake, match="differently"):
        atlas({name: tables[name] for name in ("toy-1", "toy-3")}, {}, rows=200, report=silent)
