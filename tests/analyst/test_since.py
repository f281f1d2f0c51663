"""Test the changes since an earlier release, as stated in a package."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.analyst.measured import Measured
from synth.analyst.since import changes_since, faults
from synth.core.errors import Mistake
from synth.dictionaries import load_schema
from synth.pipeline import release
from synth.private.ledger import Ledger
from synth.release import bundle
from synth.release.documents.wording import changes as rows_of
from synth.release.opened import open_bundle
from synth.release.plan import Plan
from synth.rules import parse_rules

SCHEMA: dict[str, Any] = {
    "name": "s",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [
        {"name": "ward", "title": "Ward", "kind": "category", "values": ["a", "b", "c"], "blank": False},
        {"name": "rents", "kind": "category", "values": ["no", "yes"], "blank": False},
    ],
}


@pytest.fixture
def packages(tmp_path: Path) -> list[Path]:
    """Return two years of a table in which many people move from ward a to ward c, and the share of renters
    is unchanged.
    """
    schema, rng, places = load_schema(SCHEMA), np.random.default_rng(4), []
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_population("p", units=10**15, reason="test", protects=schema.protects)
    plan = Plan(
        schema=schema, rules=parse_rules([], schema), epsilon=5, delta=1e-9, method="gaussian", seed=3
    )
    for year, counts in enumerate(([1200, 600, 200], [600, 600, 800])):
        wards, rents = np.repeat(["a", "b", "c"], counts), rng.permutation(["no", "yes"] * 1000)
        lines = [f"{ward},{one}" for ward, one in zip(wards, rents, strict=True)]
        data = tmp_path / f"{year}.csv"
        data.write_text("\n".join(["ward,rents", *lines]) + "\n")
        made = release(plan, data=data, ledger=ledger, run=f"r{year}")
        if places:
            draft = bundle.write(made, tmp_path / "draft")
            found = changes_since(places[0], Measured.of(draft), rehearsal=False)
            made = replace(made, changes=found)
        places.append(bundle.write(made, tmp_path / f"package {year}"))
    return places


def test_the_statement_and_report_say_what_changed_and_it_is_computed_again(packages: list[Path]) -> None:
    first, second = packages
    stated = open_bundle(second).statement["changes"]
    assert stated["release"] == open_bundle(first).statement["release"]["id"]
    clearest = next(one for one in stated["tables"] if one["table"] == ["ward"])
    low, high = clearest["interval"]
    assert clearest["is_found"] and 0.25 < low < high < 0.35 and clearest["cell"] in (["a"], ["c"])
    assert stated["columns"][0] >= 1 and stated["columns"][1] == 2
    assert rows_of(stated, {"ward": "Ward"})[0][0].startswith("Ward")
    assert faults(first, second) == []
    assert "not with this earlier package" in faults(second, second)[0]
    assert "contains no changes" in faults(second, first)[0]
    path = second / "privacy/statement.json"
    stated = json.loads(path.read_text())
    stated["changes"]["tables"][0]["interval"][0] += 0.01
    path.write_text(json.dumps(stated))
    assert "do not follow from the two packages" in faults(first, second)[0]
    with pytest.raises(Mistake, match="practice run"):
        changes_since(first, Measured.of(second), rehearsal=True)
