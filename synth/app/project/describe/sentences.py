"""Build the sentences of rules from menus. `synth.rules` reads each sentence and defines its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from synth.core.schema import Bound, Column, Kind, Schema, Value
from synth.rules.terms import AS_TABLE, HIDDEN_AS, OPERATORS, SHARE_OF, SHOULD_BE, in_per_cent, quoted


class Shape(StrEnum):
    """The kind of a rule."""

    IF_THEN = "if-then"
    NEVER = "never"
    COMPARE = "compare"
    SHARE = "share"
    WORDS = "words"


class How(StrEnum):
    """The comparison between a column and its values."""

    IS = "is"
    IS_NOT = "is not"
    BETWEEN = "between"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    BELOW = "below"
    ABOVE = "above"
    BLANK = "blank"
    NOT_BLANK = "not blank"


class Wanted(StrEnum):
    """The source of a target proportion."""

    AS_TABLE = "as in the table"
    DECLARED = "declared"
    HIDDEN = "hidden"


DOWNWARD_OPEN, UPWARD_OPEN = (How.AT_LEAST, How.ABOVE), (How.AT_MOST, How.BELOW)
"""Comparisons that need only a lower end, and comparisons that need only an upper end."""


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One condition from the menus. It is incomplete until it has everything that its `how` needs."""

    column: str
    how: How
    values: tuple[Value, ...] = ()
    low: Bound | Value | None = None
    high: Bound | Value | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether all required fields are filled in."""
        if self.how in (How.BLANK, How.NOT_BLANK):
            return True
        if self.how in (How.IS, How.IS_NOT):
            return bool(self.values)
        low = self.how in UPWARD_OPEN or self.low is not None
        return low and (self.how in DOWNWARD_OPEN or self.high is not None)


def usable(schema: Schema) -> tuple[Column, ...]:
    """Return the columns for a menu, which are all modelled columns with a list of values or a range."""
    return tuple(c for c in schema.modelled if c.kind.has_range or c.values)


def hows(column: Column) -> tuple[How, ...]:
    """Return the comparisons that the menu offers for a column."""
    blanks = (How.BLANK, How.NOT_BLANK) if column.blank else ()
    if column.kind.has_range:
        return (How.BETWEEN, *DOWNWARD_OPEN, *UPWARD_OPEN, How.IS, *blanks)
    ends = (*DOWNWARD_OPEN, *UPWARD_OPEN, How.BETWEEN) if column.kind is Kind.ORDERED else ()
    return (How.IS, How.IS_NOT, *ends, *blanks)


def clause_text(clause: Clause, *, only: bool = False) -> str:
    """Return a complete condition in the grammar of rules. `only` is for the consequence of a rule.

    >>> clause_text(Clause(column="age", how=How.BETWEEN, low=0, high=14))
    'age is 0 to 14'
    """
    return f"{quoted(clause.column)} is {_predicate(clause, only=only)}"


def _predicate(clause: Clause, *, only: bool) -> str:
    listed = " or ".join(quoted(value) for value in clause.values)
    words = {
        How.IS: f"only {listed}" if only else listed,
        How.IS_NOT: f"not {listed}",
        How.BLANK: "blank",
        How.NOT_BLANK: "not blank",
    }
    if clause.how in words:
        return words[clause.how]
    low, high = (quoted(end) if end is not None else "" for end in (clause.low, clause.high))
    if clause.how is How.BETWEEN:
        return f"{low} to {high}"
    return f"{clause.how.value} {low if clause.how in DOWNWARD_OPEN else high}"


def if_then(given: Sequence[Clause], wanted: Sequence[Clause]) -> str | None:
    """Return an if-then rule, or None if a condition is incomplete or missing."""
    if not given or not wanted or not all(clause.is_whole for clause in (*given, *wanted)):
        return None
    ifs = " and ".join(clause_text(clause) for clause in given)
    return f"if {ifs} then {' and '.join(clause_text(clause, only=True) for clause in wanted)}"


def never(together: Sequence[Clause]) -> str | None:
    """Return a rule that excludes a combination, or None unless two conditions are complete."""
    if len(together) < 2 or not all(clause.is_whole for clause in together):
        return None
    return f"never {' and '.join(clause_text(clause) for clause in together)}"


def share(where: Sequence[Clause], wanted: Wanted, number: float | None) -> str | None:
    """Return a target proportion, or None if a condition or the number is missing. `number` is from 0 to 1.

    >>> share([Clause(column="age", how=How.AT_LEAST, low=65)], Wanted.DECLARED, 0.2)
    'the share of records where age is at least 65 should be 20%'
    """
    if not where or not all(clause.is_whole for clause in where):
        return None
    if wanted is Wanted.AS_TABLE:
        wish = AS_TABLE
    elif number is None:
        return None
    else:
        wish = f"{HIDDEN_AS} {in_per_cent(number)}" if wanted is Wanted.HIDDEN else in_per_cent(number)
    clauses = " and ".join(clause_text(clause) for clause in where)
    return f"{SHARE_OF} {clauses} {SHOULD_BE} {wish}"


def compare(left: str, operator: str, right: str) -> str:
    """Return a rule that compares two columns. `operator` is one of `OPERATORS`. Raises: `ValueError` for any
    other operator.

    >>> compare("joined", "at most", "left office")
    'joined is at most left office'
    """
    if operator not in OPERATORS:
        raise ValueError(f"no comparison is called {operator!r}")
    return f"{quoted(left)} is {operator} {quoted(right)}"


def comparable(schema: Schema, left: str | None = None) -> tuple[Column, ...]:
    """Return the columns that can be compared with another column (with `left`, if given)."""
    columns = [c for c in usable(schema) if c.kind.is_ordered]

    def fit(a: Column, b: Column) -> bool:
        return a.name != b.name and a.kind is b.kind and a.values == b.values

    if left is not None:
        return tuple(c for c in columns if fit(c, schema.column(left)))
    return tuple(c for c in columns if any(fit(c, other) for other in columns))
