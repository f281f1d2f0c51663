"""Define the parts of a parsed rule: conditions on columns, three ways to forbid, and target proportions.

Rules apply to known values. A blank cell satisfies only a condition with *blank*, and violates a rule only if
the rule contains *not blank*. A value outside the declared list (the label for *other*) is known to differ
from all listed values, so it violates `is only x` and satisfies `is not x`. A rule may also name this label.
A list of allowed combinations does not apply to a record with a blank or other value, unless the list names
it.

Ends of ranges: `0 to 14`, `at least` and `at most` include their ends; `below` and `above` do not. Spans are
half-open intervals in the units of `Axis.edges`. If the upper end of a decimal range is included, it becomes
the next larger floating-point number, so that a bin edge there separates the values exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from synth.core.schema import Bound, Kind, Value, in_units


@dataclass(frozen=True)
class Range:
    """A typed interval. None means that there is no limit on that side."""

    low: Bound | None = None
    high: Bound | None = None
    low_included: bool = True
    high_included: bool = True

    def span(self, kind: Kind) -> tuple[float, float]:
        """Return the half-open interval [start, stop) in the units of `Axis.edges`.

        It is infinite on a side without a limit.
        """
        start, stop = -math.inf, math.inf
        decimal = kind is Kind.DECIMAL
        if self.low is not None:
            low = in_units(self.low)
            if self.low_included:
                start = low if decimal else float(math.ceil(low))
            else:
                start = math.nextafter(low, math.inf) if decimal else math.floor(low) + 1.0
        if self.high is not None:
            high = in_units(self.high)
            if self.high_included:
                stop = math.nextafter(high, math.inf) if decimal else math.floor(high) + 1.0
            else:
                stop = high if decimal else float(math.ceil(high))
        return start, stop

    def __str__(self) -> str:
        if self.low is None:
            return f"{'at most' if self.high_included else 'below'} {self.high}"
        if self.high is None:
            return f"{'at least' if self.low_included else 'above'} {self.low}"
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Condition:
    """The condition `column is [not] ...`, with a set of values or ranges, with or without blank.

    A blank cell satisfies a condition without *not* only if the condition includes blank. It never satisfies
    a condition with *not*.
    """

    column: str
    values: tuple[Value, ...] = ()
    ranges: tuple[Range, ...] = ()
    blank: bool = False
    negated: bool = False

    def opposite(self) -> Condition:
        """Return the condition that is true for exactly the cells that violate this condition after
        `then`.
        """
        return replace(self, negated=not self.negated)

    def including(
        self, values: Iterable[Value] = (), ranges: Iterable[Range] = (), *, blank: bool = False
    ) -> Condition:
        """Return the condition with additional values (without duplicates), ranges (in the given order), or
        blank.
        """
        return replace(
            self,
            values=tuple(dict.fromkeys((*self.values, *values))),
            ranges=(*self.ranges, *ranges),
            blank=self.blank or blank,
        )

    def words(self, *, only: bool = False) -> str:
        """Return the part of the condition after `is`, in the grammar."""
        listed = [quoted(v) for v in self.values] + [str(r) for r in self.ranges] + ["blank"] * self.blank
        sided = any(r.low is None or r.high is None for r in self.ranges)
        prefix = "not " if self.negated else "only " if only and not sided and listed != ["blank"] else ""
        return prefix + " or ".join(listed)

    def clause(self, *, only: bool = False) -> str:
        """Return the whole condition in the grammar."""
        return f"{quoted(self.column)} is {self.words(only=only)}"


WORDS = frozenset((
    "is", "are", "not", "only", "blank", "or", "and", "then", "to", "at", "least", "most", "below", "above",
    "under", "over", "if", "never", "from", "between", "one", "of", "more", "less", "than", "should",
))  # fmt: skip
"""The words of the grammar. A name or value that contains one of them is written in quotes."""


def quoted(value: Value) -> str:
    """Return a name or value as text, with quotes only if the grammar needs them."""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    plain = value.replace("-", "").replace("_", "").replace(" ", "").isalnum() and value == value.strip()
    if plain and not WORDS & set(value.lower().split()):
        return value
    return f'"{value}"' if "'" in value else f"'{value}'"


@dataclass(frozen=True)
class Forbid:
    """A rule that forbids records that satisfy all of these conditions."""

    conditions: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.column for c in self.conditions))


@dataclass(frozen=True)
class Allow:
    """A rule with a list of allowed rows, with one condition per column.

    Every record to which the rule applies must satisfy one of the rows.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Condition, ...], ...]


OPERATORS = {"at most": "at least", "at least": "at most", "below": "above", "above": "below"}
"""Comparisons between two columns, each with the equivalent comparison for exchanged columns."""


@dataclass(frozen=True)
class Compare:
    """A rule that compares two columns.

    If the conditions in `given` hold and both values are known, `left` and `right` must satisfy the operator.
    """

    left: str
    operator: str
    right: str
    given: tuple[Condition, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(c.column for c in self.given), self.left, self.right]))

    def clause(self) -> str:
        """Return the comparison without its conditions, in the grammar."""
        return f"{quoted(self.left)} is {self.operator} {quoted(self.right)}"

    def mirrored(self) -> Compare:
        """Return the same comparison with the columns exchanged."""
        return Compare(self.right, OPERATORS[self.operator], self.left, self.given)


@dataclass(frozen=True)
class Share:
    """A target proportion, which is the share of all records that should satisfy all of these conditions.

    It forbids nothing. `wanted` is the declared number from 0 to 1, or None for the proportion in the table,
    which a run measures. `hides` states that the number deliberately replaces the true proportion.
    """

    conditions: tuple[Condition, ...]
    wanted: float | None = None
    hides: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.column for c in self.conditions))

    def where(self) -> str:
        """Return the conditions in the grammar."""
        return " and ".join(c.clause() for c in self.conditions)

    def sentence(self) -> str:
        """Return the whole rule in the grammar."""
        if self.wanted is None:
            number = AS_TABLE
        else:
            number = f"{HIDDEN_AS} {in_per_cent(self.wanted)}" if self.hides else in_per_cent(self.wanted)
        return f"{SHARE_OF} {self.where()} {SHOULD_BE} {number}"


def in_per_cent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage, with up to fifteen digits.

    >>> in_per_cent(0.07), in_per_cent(0.125)
    ('7%', '12.5%')
    """
    return f"{Decimal(f'{share:.15g}').scaleb(2).normalize():f}%"


SHARE_OF, SHOULD_BE = "the share of records where", "should be"
AS_TABLE, HIDDEN_AS = "as in the table", "hidden as"
"""The words of the grammar for a target proportion that is measured in the table, or replaced by a declared
number.
"""

Part = Forbid | Allow | Compare | Share


@dataclass(frozen=True)
class Rule:
    """A rule: its canonical sentence, its forbidden combinations or target proportion, and its JSON.

    `stated` is False for rules that follow from the schema, for example from a column declared as never
    blank. They are not written to JSON. `because` is the steward's reason, as free text.
    """

    sentence: str
    parts: tuple[Part, ...]
    document: str | Mapping[str, Any] = ""
    because: str = ""
    stated: bool = True

    @property
    def share(self) -> Share | None:
        """Return the target proportion of the rule, or None if the rule forbids combinations."""
        return next((part for part in self.parts if isinstance(part, Share)), None)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the rule, in the order in which they are first named."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns))
