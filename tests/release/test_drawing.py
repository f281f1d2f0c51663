"""Rows in blocks: the same whatever the cores, near the model as a whole is, and as many as asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.schema import ProtectedChange
from synth.core.table import CodeTable
from synth.dictionaries import load_schema
from synth.pipeline import refitted, release
from synth.private.ledger import Ledger
from synth.release.checks.targets import measured_targets
from synth.release.drawing import Drawing, Drawn, records_of
from synth.release.plan import Plan
from synth.release.stream import drawing_of
from synth.rules import parse_rules

RULE = "if age is below 18 then status is only single"


@pytest.fixture(scope="module")
def drawing(tmp_path_factory: pytest.TempPathFactory) -> Drawing:
    folder = tmp_path_factory.mktemp("drawing")
    rng = np.random.default_rng(0)
    lines = ["age,status,income,ward"]
    for _ in range(600):
        age = int(rng.integers(0, 100))
        status = "married" if age >= 18 and rng.random() < 0.7 else "single"
        lines.append(f"{age},{status},{rng.uniform(0, 1000):.2f},{int(rng.geometric(0.4)) - 1}")
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    columns = [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 10, "blank": False},
        {"name": "status", "kind": "category", "values": ["single", "married"], "blank": False},
        {"name": "income", "kind": "decimal", "min": 0, "max": 1000, "bins": 4},
        {"name": "ward", "kind": "category", "values": list(range(30)), "merge_rare": True},
    ]
    names = {"name": "town", "population": "town-2024", "unit": {"max_rows": 1}}
    schema = load_schema({**names, "columns": columns})
    plan = Plan(schema=schema, rules=parse_rules([RULE], schema), epsilon=20.0, delta=1e-6, seed=3)
    ledger = Ledger(folder / "l.sqlite")
    ledger.open_population("town-2024", units=10**15, reason="test", protects=ProtectedChange(max_rows=1))
    made = release(replace(plan, method="mst"), data=folder / "t.csv", ledger=ledger, run="r")
    return drawing_of(plan, made.evidence, refitted(plan, made.evidence))


def gathered(drawing: Drawing, rows: int, **how: Any) -> tuple[np.ndarray, pd.DataFrame, list[int]]:
    found = list(drawing.blocks(rows, lambda codes, frame: (codes, frame), **how))
    codes = np.concatenate([codes for _, (codes, _) in found])
    return codes, pd.concat([frame for _, (_, frame) in found], ignore_index=True), [n for n, _ in found]


def test_blocks_are_the_same_on_any_number_of_cores(drawing: Drawing) -> None:
    codes, frame, sizes = gathered(drawing, 1_050, most=100)
    assert sizes == [100] * 10 + [50] and len(codes) == len(frame) == 1_050
    for cores in (2, 3, 20):
        again, table, _ = gathered(drawing, 1_050, most=100, cores=cores)
        assert (again == codes).all() and table.equals(frame)
    other, _, _ = gathered(replace(drawing, seed=4), 1_050, most=100)
    assert (other != codes).any()


def test_many_blocks_are_as_near_to_the_model_as_their_rounding_lets_them(drawing: Drawing) -> None:
    domain, rows = drawing.codebook.domain, 4_000
    codes, _, _ = gathered(drawing, rows, most=200, cores=2)
    for i, name in enumerate(domain.names):
        expected = drawing.model.project((name,)) * rows / drawing.model.total
        off = np.abs(np.bincount(codes[:, i], minlength=domain.sizes[i]) - expected)
        assert off.max() <= 6 * np.sqrt(20 * domain.sizes[i])


def test_rules_and_shares_hold_in_every_block(drawing: Drawing) -> None:
    sentence = "the share of records where status is single should be 0.4"
    stated = {"sentence": sentence, "because": "the census says so"}
    rules = parse_rules([RULE, stated], drawing.rules.schema)
    evidence = Evidence(codebook=drawing.codebook, answers=(), total=drawing.model.total)
    requested = replace(
        drawing,
        rules=rules,
        shares=measured_targets(rules.coded_shares(drawing.codebook), evidence, confidence=0.95),
    )
    for many, (_, frame) in requested.blocks(700, lambda codes, frame: (codes, frame), most=300):
        assert not any(rules.violations(frame).values())
        assert abs((frame["status"] == "single").sum() - 0.4 * many) <= 0.5


def test_blocks_of_records_are_the_same_on_any_cores(
    drawing: Drawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[int] = []

    class Counted:
        domain, total, project = drawing.model.domain, drawing.model.total, drawing.model.project

        def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
            requested.append(rows)
            return drawing.model.sample(rows, rng)

    monkeypatch.setattr("synth.release.drawing.ROWS_OF_A_BLOCK", 300)
    found = []
    for cores in (1, 2, 5):
        monkeypatch.setattr("synth.release.drawing.cores", lambda cores=cores: cores)
        found.append(records_of(Counted(), 1_000, np.random.default_rng(7), most=999))
    assert sorted(requested) == sorted([300, 300, 300, 100] * 3)
    assert all((codes == found[0]).all() for codes in found)
    assert found[0].dtype == np.uint8 and found[0].shape == (1_000, 4)
    for i, name in enumerate(drawing.model.domain.names):
        expected = drawing.model.project((name,)) * 1_000 / drawing.model.total
        off = np.abs(np.bincount(found[0][:, i], minlength=len(expected)) - expected)
        assert off.max() <= 6 * np.sqrt(4 * len(expected))
    records_of(Counted(), 999, np.random.default_rng(7), most=999)
    assert requested[-1] == 999


def test_records_that_are_drawn_stand_for_their_model() -> None:
    domain = Domain(("a", "b"), (2, 3))
    codes = np.array([[0, 2], [1, 0], [1, 0], [1, 1]])
    drawn = Drawn(table=CodeTable(domain, codes), total=8.0, converged=True)
    assert drawn.sample(4, np.random.default_rng(0)).tolist() == codes.tolist()
    assert drawn.project(("b",)).tolist() == [4.0, 2.0, 2.0]
    assert [table.sum() for table in drawn.project_many([("a",), ("a", "b")])] == [8.0, 8.0]
    with pytest.raises(ValueError, match="number of rows differs"):
        drawn.sample(3, np.random.default_rng(0))
