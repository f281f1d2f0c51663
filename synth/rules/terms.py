"""What a rule is made of once it has been read: conditions on columns, three ways to forbid, and shares.

Who is judged. Rules speak about known values. A blank cell satisfies only a condition that says *blank*,
and never makes a rule broken unless the rule says *not blank*. A value outside the declared list (the
label for *other*) is known to be none of the listed values: it breaks `is only x` and satisfies
`is not x`; a rule may also name it. In a list of allowed combinations a record with a blank or other value
is not judged unless the list names it.

Ends of ranges. `0 to 14`, `at least` and `at most` include their ends, `below` and `above` do not. Spans
are half-open in the units of `Axis.edges`; an included upper end of a decimal becomes the next larger
floating-point number, so that a bin edge there parts the values exactly.
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
    """An interval as typed; None is an open side."""

    low: Bound | None = None
    high: Bound | None = None
    low_included: bool = True
    high_included: bool = True

    def span(self, kind: Kind) -> tuple[float, float]:
        """Half-open interval [start, stop) in the units of `Axis.edges`; infinite on an open side."""
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
    """`column is [not] ...`: a set of values or of ranges, and whether blank is in it.

    A condition that is not negated holds for blank only if it says so; a negated one never does.
    """

    column: str
    values: tuple[Value, ...] = ()
    ranges: tuple[Range, ...] = ()
    blank: bool = False
    negated: bool = False

    def opposite(self) -> Condition:
        """Holds for exactly the cells that break `then` followed by this condition."""
        return replace(self, negated=not self.negated)

    def including(
        self, values: Iterable[Value] = (), ranges: Iterable[Range] = (), *, blank: bool = False
    ) -> Condition:
        """The condition with more values, each once, more ranges as they come, or blank."""
        return replace(
            self,
            values=tuple(dict.fromkeys((*self.values, *values))),
            ranges=(*self.ranges, *ranges),
            blank=self.blank or blank,
        )

    def words(self, *, only: bool = False) -> str:
        """The condition after `is`, as the grammar reads it back."""
        listed = [quoted(v) for v in self.values] + [str(r) for r in self.ranges] + ["blank"] * self.blank
        sided = any(r.low is None or r.high is None for r in self.ranges)
        prefix = "not " if self.negated else "only " if only and not sided and listed != ["blank"] else ""
        return prefix + " or ".join(listed)

    def clause(self, *, only: bool = False) -> str:
        """The whole condition, as the grammar reads it back."""
        return f"{quoted(self.column)} is {self.words(only=only)}"


WORDS = frozenset((
    "is", "are", "not", "only", "blank", "or", "and", "then", "to", "at", "least", "most", "below", "above",
    "under", "over", "if", "never", "from", "between", "one", "of", "more", "less", "than", "should",
))  # fmt: skip
"""Words of the grammar: a name or value that holds one of them stands in quotes."""


def quoted(value: Value) -> str:
    """A name or value as the grammar reads it back: bare where no word of the grammar is in the way."""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    plain = value.replace("-", "").replace("_", "").replace(" ", "").isalnum() and value == value.strip()
    if plain and not WORDS & set(value.lower().split()):
        return value
    return f'"{value}"' if "'" in value else f"'{value}'"


@dataclass(frozen=True)
class Forbid:
    """No record may satisfy all of these conditions at once."""

    conditions: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.column for c in self.conditions))


@dataclass(frozen=True)
class Allow:
    """A record whose values are judged must satisfy one of the rows (one condition per column)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Condition, ...], ...]


OPERATORS = {"at most": "at least", "at least": "at most", "below": "above", "above": "below"}
"""Comparisons between two columns, each with its mirror."""


@dataclass(frozen=True)
class Compare:
    """Where `given` holds and both values are known, `left` must stand to `right` as the operator says."""

    left: str
    operator: str
    right: str
    given: tuple[Condition, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(c.column for c in self.given), self.left, self.right]))

    def clause(self) -> str:
        """The comparison without its conditions, as the grammar reads it back."""
        return f"{quoted(self.left)} is {self.operator} {quoted(self.right)}"

    def mirrored(self) -> Compare:
        """The same comparison, said from the other column."""
        return Compare(self.right, OPERATORS[self.operator], self.left, self.given)


@dataclass(frozen=True)
class Share:
    """Of all records, those that satisfy all of these conditions should be so many, as a part of 0 to 1.

    It forbids nothing. `wanted` is declared; None is what the table says, which a run buys. `hides` says that
    the number stands in the place of the true one on purpose.
    """

    conditions: tuple[Condition, ...]
    wanted: float | None = None
    hides: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.column for c in self.conditions))

    def where(self) -> str:
        """The conditions, as the grammar reads them back."""
        return " and ".join(c.clause() for c in self.conditions)

    def sentence(self) -> str:
        """The whole rule, as the grammar reads it back."""
        if self.wanted is None:
            number = AS_TABLE
        else:
            number = f"{HIDDEN_AS} {in_per_cent(self.wanted)}" if self.hides else in_per_cent(self.wanted)
        return f"{SHARE_OF} {self.where()} {SHOULD_BE} {number}"


def in_per_cent(share: float) -> str:
    """A share of 0 to 1 as the grammar reads it back, to fifteen digits.

    >>> in_per_cent(0.07), in_per_cent(0.125)
    ('7%', '12.5%')
    """
    return f"{Decimal(f'{share:.15g}').scaleb(2).normalize():f}%"


SHARE_OF, SHOULD_BE = "the share of records where", "should be"
AS_TABLE, HIDDEN_AS = "as in the table", "hidden as"
"""The words of a share."""

Part = Forbid | Allow | Compare | Share


@dataclass(frozen=True)
class Rule:
    """One rule: its canonical sentence, what it forbids or asks for, and the JSON it is dumped to.

    `stated` is False for rules that follow from the schema (a column declared never blank); they are not
    dumped. `because` is the steward's reason, free text.
    """

    sentence: str
    parts: tuple[Part, ...]
    document: str | Mapping[str, Any] = ""
    because: str = ""
    stated: bool = True

    @property
    def share(self) -> Share | None:
        """The share it asks for; None for a rule that forbids."""
        return next((part for part in self.parts if isinstance(part, Share)), None)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns touched, in the order first named."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns))
