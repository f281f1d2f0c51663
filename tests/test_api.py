from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.core.errors import BudgetRefused, Code, Mistake, Refusal
from synth.core.progress import Progress, Reporter, silent
from synth.dictionaries import load_schema
from synth.private.ledger import Ledger
from synth.release.synthesis import Synthesis

SCHEMA = {
    "name": "t",
    "population": "p",
    "unit": {"max_rows": 1},
    "columns": [{"name": "a", "kind": "category", "values": ["x", "y"]}],
}


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARGINALIA_HOME", str(tmp_path / "home"))


def opened(tmp_path: Path, **facts: Any) -> Path:
    """A ledger with the line of a schema; the table beside it."""
    (tmp_path / "t.csv").write_text("a\n" + "x\ny\nx\n" * 50)
    book = tmp_path / "ledger.sqlite"
    synth.open_budget(load_schema(SCHEMA | facts), epsilon=10, delta=1e-9, reason="a test", ledger=book)
    return book


def release(tmp_path: Path, *, epsilon: float = 1, report: Reporter = silent, **facts: Any) -> Synthesis:
    return synth.synthesize(
        tmp_path / "t.csv",
        load_schema(SCHEMA | facts),
        epsilon=epsilon,
        delta=1e-9,
        method="independent",
        ledger=tmp_path / "ledger.sqlite",
        report=report,
    )


def test_one_call_spends_and_returns_a_table(tmp_path: Path) -> None:
    book = opened(tmp_path)
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


def test_a_data_frame_is_released_as_its_file(tmp_path: Path) -> None:
    opened(tmp_path)
    frame = pd.DataFrame({"a": ["x", "y", "x"] * 50})
    facts: Any = {"epsilon": 1, "delta": 1e-9, "method": "independent", "ledger": tmp_path / "ledger.sqlite"}
    made = synth.synthesize(frame, load_schema(SCHEMA), **facts)
    assert set(made.table["a"].dropna()) <= {"x", "y"}
    with pytest.raises(Mistake, match="'dict'"):
        synth.synthesize({"a": ["x"]}, load_schema(SCHEMA), **facts)
    synth.open_budget(
        load_schema(SCHEMA | {"population": "q"}), epsilon=9, delta=1e-9, reason="a", ledger=facts["ledger"]
    )
    with pytest.raises(Mistake, match="released before"):
        synth.synthesize(frame, load_schema(SCHEMA | {"population": "q"}), **facts)


def test_the_lifetime_limit_ends_it(tmp_path: Path) -> None:
    book = opened(tmp_path)
    synth.synthesize(tmp_path / "t.csv", load_schema(SCHEMA), epsilon=10, delta=1e-9, ledger=book)
    with pytest.raises(BudgetRefused):
        release(tmp_path)


def test_no_line_is_opened_by_a_release(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\nx\n")
    with pytest.raises(Mistake, match="open_budget"):
        release(tmp_path)
    assert Ledger(tmp_path / "ledger.sqlite").populations() == ()


def test_only_the_first_of_three_privacy_units_is_accepted(tmp_path: Path) -> None:
    person: dict[str, Any] = {"unit": {"name": "person", "max_rows": 20}}
    book = opened(tmp_path, **person)
    release(tmp_path, **person)
    spent = Ledger(book).balance("p").spent
    visit = {"name": "visit", "max_rows": 1}
    for facts in ({"unit": visit}, {"unit": visit, "rows_public": 150}, {"rows_public": 150}):
        with pytest.raises(Mistake, match=r"protects one person with at most 20 rows, added or removed"):
            release(tmp_path, **facts)
        with pytest.raises(Mistake, match="protects one person"):
            other = load_schema(SCHEMA | facts)
            synth.open_budget(other, epsilon=10, delta=1e-9, reason="again", ledger=book)
    assert Ledger(book).balance("p").spent == spent and len(Ledger(book).runs()) == 1


def test_a_file_that_was_released_under_another_population_is_known_here_too(tmp_path: Path) -> None:
    opened(tmp_path)
    opened(tmp_path, population="others")
    release(tmp_path)
    release(tmp_path)
    with pytest.raises(Mistake, match="as population 'p'"):
        release(tmp_path, population="others")
    assert Ledger(tmp_path / "ledger.sqlite").balance("others").spent == 0
    with pytest.raises(Mistake, match="looks like 'others'"):
        opened(tmp_path, population="оthers")  # noqa: RUF001 (a Cyrillic letter)
    synth.synthesize(
        tmp_path / "t.csv",
        load_schema(SCHEMA | {"population": "OTHERS"}),
        epsilon=1,
        delta=1e-9,
        ledger=tmp_path / "ledger.sqlite",
        other_people=True,
    )
    assert Ledger(tmp_path / "ledger.sqlite").balance("others").spent > 0


def test_a_list_is_bought_at_the_usual_lifetime(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n" + "x\ny\nx\n" * 1000)
    estimated = {**SCHEMA, "columns": [{"name": "a", "kind": "category", "buy": True}]}
    synth.open_budget(load_schema(estimated), epsilon=10, delta=1e-9, reason="a test", ledger=tmp_path / "l")
    for delta in (1e-7, 1e-9):
        made = synth.synthesize(
            tmp_path / "t.csv", load_schema(estimated), epsilon=1, delta=delta, ledger=tmp_path / "l"
        )
        assert made.privacy.delta_of_lists == 1e-13 and "x" in set(made.table["a"])
    line = Ledger(tmp_path / "l").balance("p")
    assert line.lifetime == (10.0, 1e-9) and line.delta_spent == 2 * 10**5


BOUGHT: dict[str, Any] = {
    "columns": [{"name": "a", "kind": "category", "buy": True}, {"name": "b", "kind": "integer", "buy": True}]
}


def unbuyable(tmp_path: Path) -> Path:
    """A ledger, and a table of which a list can be bought and, for lack of numbers, no range."""
    book = opened(tmp_path, **BOUGHT)
    (tmp_path / "t.csv").write_text("a,b\n" + "x,\ny,\nx,\n" * 1000)
    return book


def test_a_call_that_fails_keeps_its_charges_and_gives_the_rest_back(tmp_path: Path) -> None:
    book = unbuyable(tmp_path)
    with pytest.raises(Mistake, match="could not be estimated") as failed:
        release(tmp_path, **BOUGHT)
    line, (run,) = Ledger(book).balance("p"), Ledger(book).runs()
    assert line.spent == run.spent > 0 and line.reserved == 0 and run.closed
    (note,) = failed.value.__notes__
    assert run.run in note and "stays spent" in note
    assert release(tmp_path).privacy.spent_units > 0


def test_a_call_that_is_interrupted_gives_back_what_it_reserved(tmp_path: Path) -> None:
    book = unbuyable(tmp_path)

    def interrupt(progress: Progress) -> None:
        if progress.stage == "domain":
            assert Ledger(book).balance("p").reserved > 0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(tmp_path, report=interrupt, **BOUGHT)
    (run,) = Ledger(book).runs()
    assert run.spent == 0 and run.closed and Ledger(book).balance("p").reserved == 0


def test_a_call_that_cannot_give_back_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = opened(tmp_path)

    def busy(self: Ledger, run: str) -> None:
        raise Refusal(Code.LEDGER_BUSY)

    monkeypatch.setattr(Ledger, "close_run", busy)
    with pytest.raises(Refusal) as failed:
        release(tmp_path)
    (note,) = failed.value.__notes__
    (run,) = Ledger(book).runs()
    assert f"marginalia ledger discard {run.run}" in note and not run.closed


def test_a_call_that_reserved_nothing_has_nothing_to_give_back(tmp_path: Path) -> None:
    opened(tmp_path)
    with pytest.raises(BudgetRefused) as refused:
        release(tmp_path, epsilon=20)
    assert refused.value.__notes__ == ["No budget was spent."]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        synth.magic  # noqa: B018


def test_new_people_have_a_population_without_a_release(tmp_path: Path) -> None:
    book = opened(tmp_path)
    made = synth.synthesize(
        tmp_path / "t.csv",
        load_schema(SCHEMA),
        epsilon=1,
        delta=1e-9,
        method="independent",
        ledger=book,
        people="new",
        new_to=["earlier people"],
    )
    assert made.new_to == ("earlier people",)
    for given, said in (
        ({"people": "new", "new_to": ["earlier people"]}, "has a release already"),
        ({"people": "new", "new_to": ["P"]}, "needs another population name"),
        ({"people": "new"}, "can name populations"),
        ({"people": "nobody"}, "does not state who"),
    ):
        with pytest.raises(Mistake, match=said):
            synth.synthesize(
                tmp_path / "t.csv", load_schema(SCHEMA), epsilon=1, delta=1e-9, ledger=book, **given
            )
