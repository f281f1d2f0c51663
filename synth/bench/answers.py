"""Questions about any public table, with the answers of the analyst's kit and of the rows.

`invented` is a table of eight columns. `drawn` draws any number of rows from its distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.analyst.answers import Answer
from synth.analyst.kit import Kit
from synth.core.axis import Axis
from synth.core.schema import Column, Kind, Provenance, Schema, Unit
from synth.release.codes import codes_of

SIZES = {"a": 2, "b": 5, "c": 32, "d": 3, "e": 40, "f": 8, "g": 2, "h": 12}
BINS = {"c": 16, "e": 40}
"""Columns of whole numbers, with their numbers of bins.

Each bin of the first column contains two values, and each bin of the second column contains one value.
"""

ROWS, Z = 5_000, 1.959964
MOST_PAIRS, MOST_NUMBERS, MOST_GROUPS = 15, 4, 2
"""Maximum numbers of pairs of columns, of columns with means, and of groups for each of them."""

Codes = Mapping[str, Sequence[int]]
"""The codes that a row must have in some columns, by column."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Rows of a table. Shapes: int64[rows] and float64[rows] by column; `numbers` has only numeric
    columns.
    """

    codes: Mapping[str, NDArray[np.int64]]
    numbers: Mapping[str, NDArray[np.float64]]

    @staticmethod
    def of(table: pd.DataFrame, axes: Sequence[Axis]) -> Rows:
        return Rows(
            codes={axis.name: codes_of(table[axis.name], axis) for axis in axes},
            numbers={a.name: table[a.name].to_numpy(dtype=np.float64) for a in axes if has_numbers(a)},
        )

    def at(self, places: NDArray[np.int64]) -> Rows:
        return Rows(
            codes={name: codes[places] for name, codes in self.codes.items()},
            numbers={name: values[places] for name, values in self.numbers.items()},
        )

    def marked(self, wanted: Codes) -> NDArray[np.bool_]:
        """Return which rows have one of the wanted codes in each column."""
        marks = np.ones(len(next(iter(self.codes.values()))), dtype=np.bool_)
        for name, some in wanted.items():
            marks &= np.isin(self.codes[name], some)
        return marks


def has_numbers(axis: Axis) -> bool:
    return bool(axis.edges) or all(isinstance(label, int | float) for label in axis.labels)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to the kit. With `of`, it asks for a share of this group or a difference from it
    (`minus`).
    """

    kind: str
    where: Codes = field(default_factory=dict)
    of: Codes = field(default_factory=dict)
    minus: bool = False
    column: str = ""
    at: float = 0.0

    @property
    def is_count(self) -> bool:
        return not self.column and (self.minus or not self.of)

    def ask(self, kit: Kit) -> Answer:
        axes = {axis.name: axis for axis in kit.measured.codebook.axes}
        where, of = ({n: _given(axes[n], some) for n, some in g.items()} for g in (self.where, self.of))
        if self.minus:
            return kit.difference(where, of, mean=self.column or None)
        if self.at:
            return kit.quantile(self.column, self.at, where)
        if self.column:
            found = kit.mean(self.column, where)
            assert isinstance(found, Answer)
            return found
        return kit.share(where, among=of) if self.of else kit.count(where)

    def plain(self, rows: Rows, *, scale: float) -> tuple[float, float, float] | None:
        """Return the estimate of a random sample of rows, and the ends of its 95% interval.

        Counts are scaled to a table of `scale` rows. The result is None if the question applies to no rows.
        """
        inside, group = rows.marked(self.where), rows.marked(self.of)
        parts: list[NDArray[Any]]
        if self.column:
            parts = [rows.numbers[self.column][marks] for marks in (inside, group)[: 1 + self.minus]]
        elif self.minus:
            parts = [inside * 1.0 - group]
        else:
            parts = [inside[group]]
        if not all(map(len, parts)):
            return None
        if self.at:
            half = Z * (self.at * (1 - self.at) / len(parts[0])) ** 0.5
            ends = np.clip([self.at, self.at - half, self.at + half], 0.0, 1.0)
            found = np.quantile(parts[0], ends, method="inverted_cdf").tolist()
            return found[0], found[1], found[2]
        factor = scale if self.is_count else 1.0
        first, *second = (factor * float(part.mean()) for part in parts)
        estimate = first - sum(second)
        half = Z * factor * sum(float(part.var()) / len(part) for part in parts) ** 0.5
        return estimate, estimate - half, estimate + half


def _given(axis: Axis, some: Sequence[int]) -> Any:
    """Return the condition that selects these codes. The codes of a range must be consecutive."""
    if axis.labels:
        return [axis.labels[code] for code in some]
    return int(axis.edges[some[0]]), int(axis.edges[some[-1] + 1]) - 1


def questions(axes: Sequence[Axis]) -> Iterator[Question]:
    """Yield the questions that every run asks. They are drawn with a fixed seed."""
    rng = np.random.default_rng(33)

    def some(axis: Axis) -> list[int]:
        if axis.edges:
            low, high = sorted(rng.choice(axis.cells + 1, 2, replace=False).tolist())
            return list(range(low, high))
        chosen = rng.choice(axis.cells, max(1, axis.cells // 2), replace=False)
        return sorted(int(code) for code in chosen)

    def two(axis: Axis) -> tuple[list[int], list[int]]:
        first, second = rng.choice(min(axis.cells, 6), 2, replace=False).tolist()
        return [first], [second]

    for axis in axes:
        yield Question(kind="one value", where={axis.name: two(axis)[0]})
        yield Question(kind="several values", where={axis.name: some(axis)})
        one, other = two(axis)
        yield Question(kind="difference", where={axis.name: one}, of={axis.name: other}, minus=True)
    pairs = list(combinations(axes, 2))
    for place in sorted(rng.permutation(len(pairs))[:MOST_PAIRS].tolist()):
        one_axis, other_axis = pairs[place]
        both = some(one_axis), some(other_axis)
        yield Question(kind="two columns", where={one_axis.name: both[0], other_axis.name: both[1]})
        yield Question(kind="share of a group", where={one_axis.name: both[0]}, of={other_axis.name: both[1]})
    for axis in [axis for axis in axes if has_numbers(axis)][:MOST_NUMBERS]:
        by = [other for other in axes if other.labels and other.cells <= 12 and other.name != axis.name]
        of = "values" if axis.labels or np.diff(axis.edges).max() == 1 else "bins"
        yield Question(kind=f"mean from {of}", column=axis.name)
        for group in by[:MOST_GROUPS]:
            one, other = two(group)
            yield Question(kind=f"mean of a group from {of}", column=axis.name, where={group.name: one})
            yield Question(
                kind=f"difference of means from {of}",
                column=axis.name,
                where={group.name: one},
                of={group.name: other},
                minus=True,
            )
        for at in (0.25, 0.5, 0.9) if axis.edges else ():
            yield Question(kind="quantile", column=axis.name, at=at)


def drawn(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return rows in which seven of ten values depend on the column to their left."""
    columns, before, width = dict[str, Any](), np.zeros(rows, dtype=np.int64), 1
    for name, size in SIZES.items():
        own = np.minimum(rng.geometric(3 / (size + 2), rows) - 1, size - 1)
        leans = rng.random(rows) < (0.7 if columns else 0.0)
        columns[name] = np.where(leans, (before * size // width + 1) % size, own)
        before, width = columns[name], size
    return pd.DataFrame(columns)


def schema() -> Schema:
    """Return the declaration of the invented table."""
    common: dict[str, Any] = {"blank": False, "provenance": Provenance.PUBLIC_DOCUMENT}
    columns = tuple(
        Column(name=name, kind=Kind.INTEGER, min=0, max=size - 1, bins=BINS[name], **common)
        if name in BINS
        else Column(name=name, kind=Kind.CATEGORY, values=tuple(range(size)), **common)
        for name, size in SIZES.items()
    )
    return Schema(name="invented", population="invented", unit=Unit(max_rows=1), columns=columns)
