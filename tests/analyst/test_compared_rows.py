"""Test that drawn and imputed rows satisfy comparisons, also with the known values of a row."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synth
from synth.core.errors import Mistake, NothingFound
from synth.private.ledger import Ledger
from synth.release.verify import verify

RULES = ["onset is below admitted", "admitted is below discharged"]
NAMES = ["onset", "admitted", "discharged"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an invented table, and with a lifetime budget for it."""
    folder = tmp_path_factory.mktemp("stays")
    rng = np.random.default_rng(0)
    onset = rng.integers(0, 30, 400)
    table = pd.DataFrame({"onset": onset, "admitted": onset + rng.integers(1, 4, 400)})
    table["discharged"] = table.admitted + rng.integers(1, 12, 400)
    table.to_csv(folder / "t.csv", index=False)
    synth.open_budget(schema(), epsilon=9, delta=1e-6, reason="a test", ledger=folder / "l.sqlite")
    return folder


def schema() -> synth.Schema:
    ends = {"onset": (0, 29, 6), "admitted": (1, 32, 5), "discharged": (2, 43, 4)}
    columns = [
        {"name": name, "kind": "integer", "min": low, "max": high, "bins": bins, "blank": False}
        for name, (low, high, bins) in ends.items()
    ]
    return synth.load_schema(
        {"name": "s", "population": "p", "unit": {"max_rows": 1}, "file_is_public": True, "columns": columns}
    )


def broken(table: pd.DataFrame) -> int:
    return int(((table.onset >= table.admitted) | (table.admitted >= table.discharged)).sum())


def test_rows_under_conditions_and_imputed_rows_are_in_order(home: Path) -> None:
    made = synth.synthesize(
        home / "t.csv", schema(), epsilon=4, delta=1e-6, rules=RULES, method="mst", ledger=home / "l.sqlite"
    )
    assert len(made.table) and broken(made.table) == 0
    kit = synth.open(synth.write_bundle(made, home / "bundle"))
    drawn = kit.rows({"onset": (10, 14)}, n=2_000).table
    assert len(drawn) == 2_000 and broken(drawn) == 0 and drawn.onset.between(10, 14).all()
    real = pd.read_csv(home / "t.csv").astype("string")
    holes = real.mask(np.random.default_rng(1).random(real.shape) < 0.4)
    filled = kit.impute(holes).table
    whole = filled[filled.notna().all(axis=1)].astype(float)
    assert len(whole) > 0.95 * len(filled) and broken(whole) == 0
    assert all((filled[name][holes[name].notna()] == holes[name].dropna()).all() for name in NAMES)


def test_contradictory_rules_cost_nothing(home: Path) -> None:
    """The two strict comparisons need a difference of two, for which the last rule leaves no room."""
    rules = [*RULES, "discharged is at most 3", "onset is at least 2"]
    before = Ledger(home / "l.sqlite").balance("p")
    with pytest.raises(Mistake, match="contradict each other") as caught:
        synth.synthesize(
            home / "t.csv", schema(), epsilon=1, delta=1e-6, rules=rules, ledger=home / "l.sqlite"
        )
    assert all(f"'{rule}'" in str(caught.value) for rule in rules)
    assert Ledger(home / "l.sqlite").balance("p") == before


def test_a_value_that_rules_exclude_together_is_in_no_row_and_in_the_report(home: Path) -> None:
    early, late = (
        "if onset is below 6 then admitted is at most 3",
        "if onset is below 6 then admitted is at least 9",
    )
    made = synth.synthesize(
        home / "t.csv",
        schema(),
        epsilon=1,
        delta=1e-6,
        rules=[early, late],
        method="mst",
        ledger=home / "l.sqlite",
    )
    assert (made.table.onset >= 6).all()
    package = synth.write_bundle(made, home / "excluded")
    assert verify(package).ok
    assert len(synth.open(package).rows(n=50).table) == 50
    report = (package / "report/privacy_report.md").read_text()
    assert f"The rules '{early}' and '{late}' together make" in report


def test_rules_that_do_not_fit_an_estimated_range_stop_the_run_after_the_estimates(home: Path) -> None:
    declared = schema()
    column = dataclasses.replace(declared.columns[0], min=None, max=None, cuts=(), bins=None, buy=True)
    open_ended = dataclasses.replace(declared, columns=(column, *declared.columns[1:]))
    before = Ledger(home / "l.sqlite").balance("p")
    with pytest.raises(NothingFound, match="stopped after the estimates") as caught:
        synth.synthesize(
            home / "t.csv",
            open_ended,
            epsilon=2,
            delta=1e-6,
            rules=["onset is at least 5000"],
            ledger=home / "l.sqlite",
        )
    after = Ledger(home / "l.sqlite").balance("p")
    assert after.spent > before.spent
    share = re.search(r"([0-9.]+)% of its budget is spent and stays spent", str(caught.value))
    assert share is not None and 1 < float(share[1]) < 20
    assert "No budget was spent" not in str(caught.value)
