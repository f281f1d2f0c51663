"""Provide a small schema with every kind of column, and random rules with a direct definition of their
meaning.
"""

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from synth.core.axis import domain_of
from synth.core.zeros import allowed_cells
from synth.dictionaries import load_schema

MARITAL = ["never-married", "married", "married but apart", "widowed"]
COLUMNS = [
    {"name": "age", "kind": "integer", "min": 0, "max": 30, "bins": 4},
    {"name": "hours per week", "kind": "decimal", "min": 0, "max": 10, "bins": 3},
    {"name": "joined", "kind": "date", "min": "2011-01-01", "max": "2011-01-20", "bins": 4},
    {"name": "school", "kind": "ordered", "values": ["none", "low", "middle", "high"]},
    {"name": "marital", "kind": "category", "values": MARITAL, "outside": "other"},
    {"name": "works", "kind": "category", "values": [True, False], "blank": False},
    {"name": "years", "kind": "integer", "min": 0, "max": 20, "bins": 3},
    {"name": "left", "kind": "date", "min": "2011-01-05", "max": "2011-02-20", "bins": 3},
    {"name": "id", "kind": "drop"},
]
DOCUMENT = {"name": "town", "population": "town", "unit": {"max_rows": 1}, "columns": COLUMNS}


def schema_of(columns):
    return load_schema(DOCUMENT | {"columns": columns})


@pytest.fixture
def schema():
    return load_schema(DOCUMENT)


Row = dict[str, Any]


@dataclass
class Spoken:
    """A condition as the text after `is`, with its meaning for a value: set membership, blank, negation."""

    column: str
    words: str
    member: Callable[[Any], bool]
    blank: bool
    negated: bool

    def holds(self, value: Any) -> bool:
        if value is None:
            return self.blank and not self.negated
        return self.member(value) != self.negated

    def broken(self, value: Any) -> bool:
        if value is None:
            return self.blank and self.negated
        return self.member(value) == self.negated


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def random_condition(rng: random.Random, column: str) -> Spoken:
    """Return a random condition of the grammar with its direct definition."""
    members: list[Callable[[Any], bool]] = []
    words: list[str] = []
    for _ in range(rng.randint(1, 2)):
        text, member = random_item(rng, column)
        words.append(text)
        members.append(member)
    blank = rng.random() < 0.25
    if blank:
        words.append("blank")
    negated = rng.random() < 0.3
    prefix = "not " if negated else rng.choice(["", "only "])
    return Spoken(column, prefix + " or ".join(words), lambda v: any(m(v) for m in members), blank, negated)


def random_item(rng: random.Random, column: str) -> tuple[str, Callable[[Any], bool]]:
    if column in ("school", "marital", "works"):
        values = {c["name"]: c.get("values") for c in DOCUMENT["columns"]}[column]
        value = rng.choice([*values, *(["Other"] if column == "marital" else [])])
        if column == "school" and rng.random() < 0.5:
            at = values.index(value)
            word = rng.choice(["at least", "at most"])
            keep = values[at:] if word == "at least" else values[: at + 1]
            return f"{word} {value}", lambda v: v in keep
        text = str(value).lower() if isinstance(value, bool) else value
        return rng.choice([text, f"'{text}'"]), lambda v: v == value
    make: Callable[[], Any] = {
        "age": lambda: rng.randint(0, 30),
        "hours per week": lambda: rng.choice([0, 2.5, 3.1, 5, 7.25]),
        "joined": lambda: f"2011-01-{rng.randint(1, 20):02d}",
    }[column]
    key = day if column == "joined" else float
    a, b = sorted([make(), make()])
    low, high = key(a), key(b)
    shape = rng.choice(["one", "to", "at least", "at most", "below", "above"])
    outside = {"below": low <= key("2011-01-01" if column == "joined" else 0), "above": False}
    if outside.get(shape):
        shape = "at least"
    if shape == "above" and low >= key("2011-01-20" if column == "joined" else 30 if column == "age" else 10):
        shape = "at most"
    table: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "one": (f"{a}", lambda v: v == low),
        "to": (f"{a} to {b}", lambda v: low <= v <= high),
        "at least": (f"at least {a}", lambda v: v >= low),
        "at most": (f"at most {a}", lambda v: v <= low),
        "below": (f"below {a}", lambda v: v < low),
        "above": (f"above {a}", lambda v: v > low),
    }
    return table[shape]


def random_rule(rng: random.Random) -> tuple[Any, Callable[[Row], bool], list[str]]:
    """A rule entry, a function that checks whether a row violates it, and its columns."""
    names = rng.sample([c["name"] for c in DOCUMENT["columns"][:6]], k=rng.choice([1, 2, 2, 3]))
    *given, last = [random_condition(rng, name) for name in names]
    kind = rng.choice(["if", "never"]) if given else "plain"
    if kind == "never":
        every = [*given, last]
        text = "never " + " and ".join(f"{c.column} is {c.words}" for c in every)
        return text, lambda row: all(c.holds(row[c.column]) for c in every), names
    head = "if " + " and ".join(f"{c.column} is {c.words}" for c in given) + " then " if given else ""
    return (
        f"{head}{last.column} is {last.words}",
        lambda row: all(c.holds(row[c.column]) for c in given) and last.broken(row[last.column]),
        names,
    )


def random_allowed(rng: random.Random) -> tuple[Any, Callable[[Row], bool], list[str]]:
    """Return a list of allowed pairs with its direct definition: blank and other count only if they are
    named.
    """
    names = rng.sample(["age", "school", "marital", "joined"], k=2)
    rows = [[random_condition(rng, name) for name in names] for _ in range(rng.randint(1, 4))]
    for condition in (c for row in rows for c in row):
        if condition.negated or condition.words.startswith("only "):
            condition.negated = False
            condition.words = condition.words.removeprefix("not ").removeprefix("only ")
    entry = {"allowed": {"columns": names, "rows": [[c.words for c in row] for row in rows]}}
    named_blank = [any(row[i].blank for row in rows) for i in range(2)]
    named_other = [
        any(row[i].member("Other") for row in rows) if names[i] == "marital" else False for i in range(2)
    ]

    def broken(row: Row) -> bool:
        values = [row[name] for name in names]
        for i, value in enumerate(values):
            if (value is None and not named_blank[i]) or (value == "Other" and not named_other[i]):
                return False
        return not any(all(c.holds(v) for c, v in zip(line, values, strict=True)) for line in rows)

    return entry, broken, names


def possible_codes(rules, axes, rng, rows):
    """Return random records in allowed cells."""
    domain = domain_of(axes)
    codes = np.stack([rng.integers(0, axis.size, rows) for axis in axes], axis=1)
    for zero in rules.zeros(axes):
        allowed = allowed_cells(domain, zero.clique, [zero])
        codes = codes[allowed[tuple(codes[:, i] for i in domain.axes(zero.clique))]]
    return codes
