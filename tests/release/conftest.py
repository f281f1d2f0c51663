"""Two small real runs: a release with hostile labels, and a rehearsal."""

import csv
import html
import re
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from synth import pipeline
from synth.analyst.shown.notebook import write as notebook
from synth.core.accounting import units_of
from synth.core.accounting.zcdp import rho_from
from synth.dictionaries import load_schema
from synth.private.entropy import OS_ENTROPY, Entropy, Rehearsal
from synth.private.ledger import Ledger
from synth.release import bundle
from synth.release.opened import Bundle
from synth.release.plan import Plan
from synth.release.synthesis import Synthesis
from synth.rules import parse_rules

CANARY = "canary-5f0c1e77"
"""Stands in cells outside the declared domain, in a dropped column, and in the name of the private file."""

SCHOOLS = ["<script>x</script>", "low", "high"]
MARITAL = ["never", "married", "=1+cmd|' /C calc'!A0"]
SCHEMA: dict[str, Any] = {
    "name": "survey", "title": "A survey & <script>alert(1)</script>", "population": "town-2024",
    "unit": {"max_rows": 2}, "file_is_public": True,
    "columns": [
        {"name": "age", "kind": "integer", "min": 0, "max": 99, "bins": 20},
        {"name": "marital", "kind": "category", "values": MARITAL},
        {"name": "income", "kind": "decimal", "min": -10, "max": 10, "bins": 8},
        {"name": "joined", "kind": "date", "min": "2011-01-01", "max": "2020-12-31", "bins": 10},
        {"name": "school", "kind": "ordered", "values": SCHOOLS, "blank": False},
        {"name": "ward", "kind": "category", "values": [-1, 0, 1]},
        {"name": "@note", "kind": "category", "values": ["a,b", 'say "x"', "'tis"], "outside": "other"},
        {"name": "secret", "kind": "drop"},
    ],
}  # fmt: skip
TYPED = {"sentence": "the share of records where marital is married should be 0.3", "because": "a census"}
RULES = ["if age is 0 to 14 then marital is only never"]


def run(
    folder: Path,
    *,
    entropy: Entropy = OS_ENTROPY,
    rows: int = 700,
    verdict: float = 0.1,
    rules: Sequence[Any] = RULES,
) -> Synthesis:
    """One release of an invented file in `folder`."""
    rng = np.random.default_rng(3)
    data = folder / f"{CANARY}.csv"
    with data.open("w", newline="") as out:
        lines = csv.writer(out)
        lines.writerow([c["name"] for c in SCHEMA["columns"]])
        for _ in range(rows):
            age = int(rng.integers(0, 100))
            marital = "never" if age < 15 else rng.choice(MARITAL)
            school = SCHOOLS[int(rng.integers(0, 3))]
            day = np.datetime64("2011-01-01") + int(rng.integers(0, 3650))
            note = rng.choice(["a,b", 'say "x"', "'tis", CANARY])
            ward = rng.choice([-1, 0, 1, ""])
            lines.writerow([age, marital, f"{rng.normal():.3f}", day, school, ward, note, CANARY])
    schema = load_schema(SCHEMA)
    facts: dict[str, Any] = {"epsilon": 2.0, "delta": 1e-9, "verdict": verdict, "seed": 4}
    plan = Plan(schema=schema, rules=parse_rules(list(rules), schema), **facts)
    ledger = Ledger(folder / f"{CANARY}.sqlite")
    units = units_of(rho_from(8.0, 1e-9))
    ledger.open_population("town-2024", units=units, protects=schema.protects, reason="test")
    return pipeline.release(plan, data=data, ledger=ledger, run="20261121-aaaaaaaa", entropy=entropy)


@pytest.fixture(scope="session")
def synthesis(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    return run(tmp_path_factory.mktemp(CANARY))


@pytest.fixture(scope="session")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    return run(tmp_path_factory.mktemp("rehearsal"), entropy=Rehearsal(11))


@pytest.fixture(scope="session")
def steered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle on disk with a share that was bought and one that was declared; not to be changed."""
    folder = tmp_path_factory.mktemp("steered")
    estimated = "the share of records where age is below 41 and ward is 0 should be as in the table"
    rules = [*RULES, estimated, TYPED]
    return bundle.write(run(folder, rules=rules), folder / "bundle", notebook=notebook)


@pytest.fixture(scope="session")
def written(synthesis: Synthesis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle on disk; not to be changed."""
    return bundle.write(synthesis, tmp_path_factory.mktemp("out") / "bundle", notebook=notebook)


@pytest.fixture(scope="session")
def estimated(tmp_path_factory: pytest.TempPathFactory) -> Synthesis:
    """A release that bought a value list, a range, a tree and a merge."""
    folder = tmp_path_factory.mktemp("bought")
    rng = np.random.default_rng(5)
    with (folder / "t.csv").open("w", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(["city", "pay", "age", "job"])
        for _ in range(4000):
            city = rng.choice(["Ayr", "=Bath", "Cork"])
            job = rng.integers(0, 30) if rng.random() < 0.1 else 0
            lines.writerow([city, f"{rng.gamma(2, 1000):.2f}", rng.integers(0, 90), f"j{job}"])
    columns: list[dict[str, Any]] = [
        {"name": "city", "kind": "category", "buy": True},
        {"name": "pay", "kind": "decimal", "buy": True},
        {"name": "age", "kind": "integer", "min": 0, "max": 127, "binning": "privtree"},
        {"name": "job", "kind": "category", "values": [f"j{i}" for i in range(30)], "merge_rare": True},
    ]
    schema = load_schema({"name": "town", "population": "town", "unit": {"max_rows": 1}, "columns": columns})
    plan = Plan(schema=schema, rules=parse_rules([], schema), epsilon=8.0, delta=1e-6)
    ledger = Ledger(folder / "ledger.sqlite")
    delta = {"delta_units": 10**12}
    ledger.open_population("town", units=plan.units, protects=schema.protects, reason="test", **delta)
    return pipeline.release(plan, data=folder / "t.csv", ledger=ledger, run="20261121-bbbbbbbb")


class Reader(HTMLParser):
    """The blocks of a page as lines of text: cells of a row joined by bars, a picture as its own words."""

    BLOCKS: ClassVar = {"h1", "h2", "h3", "p", "li", "aside", "div", "tr", "pre", "dd", "figure", "ul"}
    BLOCKS |= {"section", "header", "main"}
    JOINED: ClassVar = {"small": " · ", "dd": ": ", "sup": "^", "span": " | "}

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._line, self._hidden = "", 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.BLOCKS - {"dd"}:
            self._end()
        self._hidden += tag in ("svg", "style", "title")
        if tag == "svg" and (words := dict(attrs).get("aria-label")) and dict(attrs).get("class") != "stack":
            self._end()
            self.lines.append(words.replace("\N{NO-BREAK SPACE}", " "))
        self._line += self.JOINED.get(tag, " | " if tag in ("td", "th") and self._line else "")
        self._cell = tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("svg", "style", "title")
        if tag in self.BLOCKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._line += data.replace("\N{NO-BREAK SPACE}", " ")

    def _end(self) -> None:
        self.lines += [line for line in self._line.splitlines() if line.strip()]
        self._line = ""


def _page(opened: Bundle) -> list[str]:
    reader = Reader()
    reader.feed(opened.files[opened.layout.report].decode())
    return [line.strip() for line in reader.lines]


def _markdown(text: str) -> Iterator[str]:
    """The lines of a Markdown text without its marks and escapes."""
    for line in text.splitlines():
        if re.fullmatch(r"[|-]+|```(sh)?|", line):
            continue
        line = re.sub(r"\*\*|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", line)
        line = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", re.sub(r"^(- |> |#+ |\| )| \|$", "", line))
        yield html.unescape(line).strip()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _strings(part)
    if isinstance(value, str):
        yield value


SENTENCES = (
    "promise", "neighbours_explained", "unit.enforced", "accounting", "noise", "selection",
    "method.post_processing", "outside_the_guarantee", "trust_model", "known_limits", "not_tested",
    "means",
)  # fmt: skip
"""Where the statement holds sentences."""


def _statement(opened: Bundle) -> Iterator[str]:
    for path in SENTENCES:
        value: Any = opened.statement
        for key in path.split("."):
            value = value.get(key, [])  # few releases measure means
        yield from _strings(value)


PAPERS: dict[str, Callable[[Bundle], Iterator[str] | list[str]]] = {
    "page": _page,
    "plain": lambda opened: _markdown(opened.files[opened.layout.plain_report].decode()),
    "statement": _statement,
    "readme": lambda opened: _markdown(opened.files["README.md"].decode()),
}


@pytest.fixture(scope="session", params=PAPERS)
def cut(request: pytest.FixtureRequest) -> Callable[[Bundle], list[str]]:
    """One kind of paper, as lines."""
    paper = PAPERS[request.param]
    return lambda opened: list(paper(opened))
