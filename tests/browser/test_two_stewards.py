"""Two at once at one server: nothing of one steward on a page of another."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from synth.private.ledger import Ledger
from tests.browser.steward import Steward

pytestmark = [pytest.mark.browser, pytest.mark.long]


@dataclass(frozen=True)
class Work:
    """What one of them has in hand. The words of `own` are on nobody else's pages."""

    name: str
    column: str
    values: tuple[str, str]
    steward: Steward

    @property
    def own(self) -> tuple[str, ...]:
        return (self.column, *self.values, f"population-{self.name}")

    def written(self, folder: Path) -> tuple[Path, Path]:
        """The table and its dictionary."""
        first, second = self.values
        table, dictionary = folder / f"{self.name}.csv", folder / f"{self.name}.json"
        table.write_text(f"age,{self.column}\n" + f"5,{first}\n7,{second}\n" * 300)
        columns = [
            {"name": "age", "kind": "integer", "min": 0, "max": 9},
            {"name": self.column, "kind": "category", "values": list(self.values)},
        ]
        given = {"name": self.name, "population": self.name, "unit": {"max_rows": 1}, "columns": columns}
        dictionary.write_text(json.dumps(given))
        return table, dictionary


def test_two_stewards_do_not_see_each_other(people: Callable[[str], Steward], tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    harbour = Work("harbour", "quayside", ("jetty", "crane"), people("first"))
    forest = Work("forest", "woodland", ("beech", "larch"), people("second"))
    both = (harbour, forest)
    files = {one.name: one.written(tables) for one in both}
    pages: dict[str, list[str]] = {one.name: [] for one in both}

    def each(*steps: Callable[[Work], object]) -> None:
        """Let both do a step before either does the next, and keep what they see then."""
        for step in steps:
            for one in both:
                step(one)
        for one in both:
            pages[one.name].append(one.steward.dom() + one.steward.driver.current_url)

    each(lambda one: one.steward.begin(one.name, population=f"population-{one.name}"))
    each(
        lambda one: one.steward.type("table-form-0-path", files[one.name][0].name),
        lambda one: one.steward.click("use-file"),
        lambda one: one.steward.take_dictionary(files[one.name][1]),
    )
    for page in ("schema", "rules", "budget"):
        each(lambda one, page=page: one.steward.next(page))
    each(
        lambda one: one.steward.unfold("Other methods"),
        lambda one: one.steward.pick("other-method", "Independent columns"),
        lambda one: one.steward.click("choose-independent"),
        lambda one: one.steward.next("method"),
    )
    each(
        lambda one: one.steward.type("confirm-name", one.name),
        lambda one: one.steward.click("spend"),
        lambda one: one.steward.finished(),
    )
    each(
        lambda one: one.steward.click("see-results"),
        lambda one: one.steward.see("Synthetic rows"),
        lambda one: one.steward.go("release"),
        lambda one: one.steward.see("Checks"),
    )
    for one, other in ((harbour, forest), (forest, harbour)):
        assert all(word in "".join(pages[one.name]) for word in one.own)
        for word in (*other.own, other.steward.identity, *other.steward.saved()["runs"]):
            assert not any(word in page for page in pages[one.name]), f"{word} is shown to {one.name}"
    _check_the_ledger(harbour, forest)


def _check_the_ledger(*works: Work) -> None:
    """Each population has paid for its own run, in full and for nothing else, and the record is whole."""
    book = Ledger(works[0].steward.server.ledger)
    try:
        book.verify()
        for work in works:
            (run,) = work.steward.saved()["runs"]
            (line,) = book.runs(f"population-{work.name}")
            assert line.run == run
            assert 0 < line.spent <= line.units
            assert book.balance(f"population-{work.name}").spent == line.spent
    finally:
        book.close()
