"""Random schemas and random sets of rules, with a direct definition of each rule."""

from __future__ import annotations

import datetime as dt
import operator
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
Broken = Callable[[Row], bool]

SIGNS = {"at most": operator.le, "below": operator.lt, "at least": operator.ge, "above": operator.gt}
SIZES = ["none", "small", "middle", "large"]


@dataclass(frozen=True)
class Rule:
    """A sentence, and a function that returns whether a row breaks it."""

    sentence: str
    broken: Broken


def schema_of(rng: random.Random, columns: int) -> dict[str, Any]:
    """Return a schema document with up to six columns, most of which can be compared."""
    kind = rng.choice(["integer", "date", "decimal"])
    low = rng.randint(0, 20)
    declared = [_range(rng, f"c{i}", kind, low) for i in range(max(2, columns - 2))]
    declared += [{"name": f"size{i}", "kind": "ordered", "values": SIZES} for i in range(2)]
    declared += [{"name": "group", "kind": "category", "values": ["a", "b", "c"]}]
    rng.shuffle(declared)
    declared = declared[:columns]
    for column in declared:
        column["blank"] = rng.random() < 0.4
    return {"name": "t", "population": "t", "unit": {"max_rows": 1}, "columns": declared}


def _range(rng: random.Random, name: str, kind: str, low: int) -> dict[str, Any]:
    low = max(0, low + rng.randint(-8, 8))
    high = low + rng.randint(1, 40)
    column: dict[str, Any] = {"name": name, "kind": kind, "min": low, "max": high}
    form = rng.choice(["bins", "step", "default"])
    if form == "bins":
        column["bins"] = rng.randint(1, 12)
    elif form == "step" and kind != "date":
        column["step"] = rng.randint(1, 9)
    if kind == "decimal":
        column["decimals"] = rng.randint(1, 2)
    if kind != "date" and high - low > 9 and rng.random() < 0.25:
        column["multiple"] = rng.choice([2, 3, 5])
    elif kind != "date" and rng.random() < 0.25:
        column["points"] = [rng.randint(low, high)]
    if kind == "date":
        column |= {end: _day(column[end]) for end in ("min", "max")}
    return column


def _day(number: int) -> str:
    return (dt.date(2024, 1, 1) + dt.timedelta(days=number)).isoformat()


def _number(day: Any) -> Any:
    return (dt.date.fromisoformat(day) - dt.date(2024, 1, 1)).days if isinstance(day, str) else day


def key_of(column: dict[str, Any], value: Any) -> Any:
    """Return a number with the order of the column, or the value of a category."""
    if value is None or column["kind"] == "category":
        return value
    return SIZES.index(value) if column["kind"] == "ordered" else _number(value)


def row_of(rng: random.Random, columns: list[dict[str, Any]]) -> Row:
    """Return a random row without blanks, whose values fit the declared steps if the range contains one."""
    return {column["name"]: _value(rng, column) for column in columns}


def _value(rng: random.Random, column: dict[str, Any]) -> Any:
    if "values" in column:
        return rng.choice(column["values"])
    low, high = _number(column["min"]), _number(column["max"])
    fitting = [n for n in range(low, high + 1) if n % column.get("multiple", 1) == 0]
    number = rng.choice(fitting or range(low, high + 1))
    return _day(number) if column["kind"] == "date" else number


def comparison(rng: random.Random, columns: list[dict[str, Any]]) -> Rule | None:
    """Return a comparison of two columns, sometimes with a condition on a third."""
    left = rng.choice(columns)
    same = [c for c in columns if c["kind"] == left["kind"] != "category" and c is not left]
    if not same:
        return None
    right, word = rng.choice(same), rng.choice(list(SIGNS))
    others = [c for c in columns if c is not left and c is not right]
    given = _condition(rng, rng.choice(others)) if others and rng.random() < 0.3 else None
    head = f"if {given[0]} then " if given else ""

    def broken(row: Row) -> bool:
        a, b = (key_of(column, row[column["name"]]) for column in (left, right))
        applies = given is None or given[1](row)
        return a is not None and b is not None and applies and not SIGNS[word](a, b)

    return Rule(f"{head}{left['name']} is {word} {right['name']}", broken)


def conditional(rng: random.Random, columns: list[dict[str, Any]]) -> Rule:
    """Return a rule of the form `if ... then ...`, or about one column."""
    one, *rest = rng.sample(columns, k=min(2, len(columns)))
    text, holds = _condition(rng, one)
    if not rest:
        return Rule(text, lambda row: row[one["name"]] is not None and not holds(row))
    words, met = _condition(rng, rest[0])

    def broken(row: Row) -> bool:
        return row[rest[0]["name"]] is not None and holds(row) and not met(row)

    return Rule(f"if {text} then {words}", broken)


def _condition(rng: random.Random, column: dict[str, Any]) -> tuple[str, Broken]:
    name, value = column["name"], _value(rng, column)
    word = "" if column["kind"] == "category" else rng.choice(["", *SIGNS])
    ends = {"below": column.get("min", SIZES[0]), "above": column.get("max", SIZES[-1])}
    if ends.get(word) == value:
        word = ""
    shown = f"{word} {value}" if word else f"{value}"
    compare = SIGNS.get(word, operator.eq)

    def holds(row: Row) -> bool:
        own = row[name]
        return own is not None and bool(compare(key_of(column, own), key_of(column, value)))

    return f"{name} is {shown}", holds


def satisfiable(seed: int) -> tuple[dict[str, Any], list[Rule]]:
    """Return a schema and up to six rules that at least one row of declared values satisfies."""
    rng = random.Random(seed)
    document = schema_of(rng, rng.randint(2, 6))
    columns = document["columns"]
    row, rules = row_of(rng, columns), dict[str, Rule]()
    wanted = rng.randint(1, 6)
    for _ in range(60):
        made = comparison(rng, columns) if rng.random() < 0.7 else conditional(rng, columns)
        if made is not None and not made.broken(row):
            rules[made.sentence] = made
        if len(rules) == wanted:
            break
    return document, list(rules.values())


def contradictory(seed: int) -> tuple[dict[str, Any], list[str]]:
    """Return a schema and rules that no row without blanks satisfies."""
    rng = random.Random(seed)
    names = ["a", "b", "c", "d"][: rng.randint(2, 4)]
    low, width = rng.randint(0, 30), rng.randint(0, 3)
    how = rng.choice(["cycle", "bounds", "room", "condition"])
    kind = rng.choice(["integer", "date"] if how == "room" else ["integer", "date", "decimal"])
    own: Callable[[int], Any] = _day if kind == "date" else lambda number: number
    ends = {"min": own(low), "max": own(low + 30), "kind": kind, "blank": False}
    columns = [{"name": name, **ends, "bins": rng.randint(1, 9)} for name in names]
    chain = [f"{a} is below {b}" for a, b in pairwise(names)]
    columns.append({"name": "group", "kind": "category", "values": ["x", "y"], "blank": False})
    if how == "cycle":
        rules = [*chain, f"{names[-1]} is at most {names[0]}"]
    elif how == "bounds":
        middle = low + 3 + width
        rules = [*chain, f"{names[0]} is at least {own(middle)}", f"{names[-1]} is at most {own(middle)}"]
    elif how == "room":
        for column in columns[:-1]:
            steps = len(names) - 2
            column |= {"max": own(low + max(steps, 1)), "bins": rng.randint(1, 3)}
        rules = [*chain, f"{names[-1]} is at most {own(low + max(len(names) - 2, 0))}"]
        if len(names) == 2:
            rules = [*chain, f"{names[-1]} is {own(low)}"]
    else:
        rules = [f"if group is x then {rule}" for rule in chain]
        rules += ["group is only x", f"{names[-1]} is at most {names[0]}"]
    rng.shuffle(rules)
    return {"name": "t", "population": "t", "unit": {"max_rows": 1}, "columns": columns}, rules
