from pathlib import Path

import pytest

import synth
from synth.errors import BudgetRefused
from synth.measure.ledger import Ledger
from synth.schema_io import load_schema

SCHEMA = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [{"name": "a", "kind": "category", "values": ["x", "y"]}],
}


def test_one_call_opens_the_line_spends_and_returns_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n" + "x\ny\nx\n" * 50)
    book = tmp_path / "ledger.sqlite"
    made = synth.synthesize(
        tmp_path / "t.csv",
        load_schema(SCHEMA),
        epsilon=1,
        delta=1e-9,
        rows=20,
        ledger=book,
        method="independent",
    )
    assert len(made.table) == 20 and set(made.table["a"].dropna()) <= {"x", "y"}
    assert Ledger(book).balance("p").spent == made.privacy.spent_units > 0
    assert (synth.write_bundle(made, tmp_path / "out") / "data" / "synthetic.csv").exists()


def test_the_lifetime_limit_ends_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\nx\n")
    for _ in range(1):
        synth.synthesize(
            tmp_path / "t.csv", load_schema(SCHEMA), epsilon=10, delta=1e-9, ledger=tmp_path / "l"
        )
    with pytest.raises(BudgetRefused):
        synth.synthesize(
            tmp_path / "t.csv", load_schema(SCHEMA), epsilon=1, delta=1e-9, ledger=tmp_path / "l"
        )


def test_a_list_is_bought_at_the_usual_lifetime(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n" + "x\ny\nx\n" * 1000)
    bought = {**SCHEMA, "columns": [{"name": "a", "kind": "category", "buy": True}]}
    for delta in (1e-7, 1e-9):
        made = synth.synthesize(
            tmp_path / "t.csv", load_schema(bought), epsilon=1, delta=delta, ledger=tmp_path / "l"
        )
        assert made.privacy.delta_bought == 1e-13 and "x" in set(made.table["a"])
    line = Ledger(tmp_path / "l").balance("p")
    assert line.lifetime == (10.0, 1e-9) and line.delta_spent == 2 * 10**5


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        synth.magic  # noqa: B018
