"""Compute the drift, which is the change between two releases, from their noisy measurements.

For every column and every pair that both releases measured, the shares of the records are compared on common
bins. Let d be the true changes of the shares of a table, d' the estimates, e their noise with standard
deviations s_k and covariance S. The distance is TVD = |d|_1 / 2. The distance of the estimates, |d'|_1 / 2,
is larger on average. Both |d'|_1 / 2 and |e|_1 / 2 are Lipschitz functions of normal numbers. So each of them
exceeds its mean (or falls below it) by at most r with probability at least 1 - b / 2, where r = v sqrt(2 ln(2
/ b)), and v^2 is at least a quarter of the variance of every signed sum of d'. Hence

    |d'|_1 / 2 - E|e|_1 / 2 - r  <=  TVD,    and    sum_k s_k f(|d_k| / s_k)  =  E|d'|_1  <=  |d'|_1 + 2 r,

with f(x) the mean of |x + N| for a standard normal N. f is convex, so the largest |d|_1 that satisfies the
second formula has the same x = |d_k| / s_k in all cells, and TVD <= x sum_k s_k / 2 with sum_k s_k f(x) =
|d'|_1 + 2 r.

Half of the error probability is for the distances and is divided by the number of tables. The other half is
for the changes of all cells of all tables and of the number of records (Sidak 1967). The changes in a table
sum to zero, so the intervals of its cells also limit its distance. If the noise is below one count, it is not
normal, and only these intervals limit the distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations, product
from math import erf, exp, log, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import LEVEL, Form, written
from synth.analyst.averages import axis_of
from synth.analyst.crossed import groups_in_words
from synth.analyst.measured import Measured
from synth.core.axis import Axis
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.measurements.noisy import sum_groups
from synth.core.numbers import TIMES, number_of
from synth.core.zeros import allowed_cells
from synth.estimates.estimated import Span
from synth.estimates.least_squares import Groups
from synth.estimates.shared import Shares, shared_bins, shares_of

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 700
"""Maximum number of cells in a table that is compared."""


@dataclass(frozen=True, kw_only=True)
class Moved:
    """The change of the share of a cell, with an interval and one label per column."""

    labels: tuple[str, ...]
    before: float
    after: float
    interval: Span

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def is_found(self) -> bool:
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True, kw_only=True)
class Changed:
    """The change of a column or a pair.

    `distance` is the TVD of the estimates, which includes noise and is about `noise` if nothing changed.
    `interval` contains the true TVD. `cells` are sorted by the size of their changes in standard deviations,
    the largest first.
    """

    columns: Clique
    distance: float
    noise: float
    interval: Span
    cells: tuple[Moved, ...]

    @property
    def name(self) -> str:
        return TIMES.join(self.columns)

    @property
    def is_found(self) -> bool:
        """Whether the change is larger than the noise can explain."""
        return self.interval[0] > 0 or any(cell.is_found for cell in self.cells)


@dataclass(frozen=True, kw_only=True, repr=False)
class Drift:
    """The changes of all columns and pairs that two releases measured, the most significant first.

    All intervals hold together at `level`. They are about the records of the two releases. If `is_population`
    is true, they are about two populations, and the records are independent random samples of these.
    `records` is the change in the number of records. `left_out` lists the tables that were not compared, with
    the reasons.
    """

    tables: tuple[Changed, ...]
    records: tuple[float, Span]
    left_out: dict[str, str]
    level: float
    is_population: bool

    def __repr__(self) -> str:
        return self.sentence

    @property
    def found(self) -> tuple[Changed, ...]:
        return tuple(table for table in self.tables if table.is_found)

    @property
    def sentence(self) -> str:
        """Return a description of the drift."""
        (low, high), parts = self.records[1], list[str]()
        what = "populations" if self.is_population else "records"
        together = f"All intervals hold together at {100 * self.level:.6g}%."
        if low > 0 or high < 0:
            parts.append(f"The change in the number of records is {_spanned((low, high), Form.COUNT)}.")
        columns, pairs = ([t for t in self.tables if len(t.columns) == size] for size in (1, 2))
        counts = [(sum(t.is_found for t in some), len(some)) for some in (columns, pairs)]
        if not self.found:
            limit = written(max(t.interval[1] for t in columns), Form.SHARE, 1, rounding=np.ceil)
            some = " and ".join(
                number_of(of, kind) for (_, of), kind in zip(counts, ("column", "pair"), strict=True)
            )
            parts.append(f"No change was found in the {what}: {some} differ by no more than the noise.")
            parts.append(
                f"The noise can hide a change of up to {limit} of the records in a column. {together}"
            )
            return " ".join(parts)
        of = f"{counts[0][0]:,} of {number_of(counts[0][1], 'column')}"
        of += f" and {counts[1][0]:,} of {number_of(counts[1][1], 'pair')}" if pairs else ""
        parts.append(f"The {what} changed: {of} differ by more than the noise.")
        return " ".join([*parts, *(_said(table) for table in self.found[:3]), together])

    def frame(self) -> pd.DataFrame:
        """Return the compared tables as a data frame."""
        import pandas as pd

        return pd.DataFrame(
            {
                "table": [t.name for t in self.tables],
                "changed": [t.is_found for t in self.tables],
                "distance": [t.distance for t in self.tables],
                "noise": [t.noise for t in self.tables],
                "low": [t.interval[0] for t in self.tables],
                "high": [t.interval[1] for t in self.tables],
            }
        )

    def facts(self) -> dict[str, Any]:
        """Return the drift as plain types."""
        changed = [{**asdict(table), "is_found": table.is_found} for table in self.tables]
        return {**asdict(self), "tables": changed, "sentence": self.sentence}


def drift(before: Measured, after: Measured, *, level: float = LEVEL, is_population: bool = False) -> Drift:
    """Return the changes from one release to the other. Raises: `Mistake` if they have no column in
    common.
    """
    compared, left_out = {}, dict[str, str]()
    for columns in _tables(before, after):
        found = _compared(before, after, columns)
        if isinstance(found, str):
            left_out[TIMES.join(columns)] = found
        else:
            compared[columns] = found
    if not compared:
        raise Mistake("The two releases have no column with common values, so they cannot be compared.")
    cells = 1 + sum(len(labels) for *_, labels in compared.values())
    chance = (1 - level) / 2
    each, beta = (1 - chance) ** (1 / cells), chance / len(compared)
    tables = [
        _changed(columns, *found, each=each, beta=beta, is_population=is_population)
        for columns, found in compared.items()
    ]
    tables.sort(key=lambda t: (not t.is_found, -t.interval[0], -t.distance))
    return Drift(
        tables=tuple(tables),
        records=_records(before, after, each),
        left_out=left_out,
        level=level,
        is_population=is_population,
    )


def _tables(before: Measured, after: Measured) -> Iterator[Clique]:
    """Return the columns of both releases, and the pairs that both measured."""
    names = [name for name in after.domain.names if name in before.domain.names]
    yield from ((name,) for name in names)
    measured = [
        {frozenset(p) for fact in part.facts for p in combinations(fact.clique, 2)}
        for part in (before, after)
    ]
    yield from (pair for pair in combinations(names, 2) if all(frozenset(pair) in some for some in measured))


Both = tuple[Shares, Shares, tuple[tuple[str, ...], ...]]
"""The shares before and after, with the labels of the cells."""


def _compared(before: Measured, after: Measured, columns: Clique) -> Both | str:
    """Return the shares of a table on common bins, or the reason why they cannot be computed."""
    finest = [part.system(columns).finest for part in (before, after)]
    if finest[0] is None or finest[1] is None:
        return "not measured finely enough"
    bins = dict[str, NDArray[np.int64]](), dict[str, NDArray[np.int64]]()
    for name in columns:
        (one, ours), (other, theirs) = (_codes(part, name) for part in (before, after))
        shared = shared_bins((one, other), (finest[0][name][ours], finest[1][name][theirs]))
        if shared is None or shared[0].max() == 0:
            return f"the values or bins of {name} have nothing in common"
        for own, codes, groups in zip(bins, (ours, theirs), shared, strict=True):
            own[name] = np.zeros(int(codes.max()) + 1, dtype=np.int64)
            own[name][codes] = groups
    words = [[label for _, label in groups_in_words(after, bins[1][name], name)] for name in columns]
    labels = tuple(product(*words))
    if len(labels) > MOST_CELLS:
        return f"more than {MOST_CELLS:,} cells"
    shares = [_shares(part, groups) for part, groups in zip((before, after), bins, strict=True)]
    if shares[0] is None or shares[1] is None:
        return "the noise is too large"
    return shares[0], shares[1], labels


def _codes(part: Measured, name: str) -> tuple[Axis, NDArray[np.int64]]:
    """Return the axis of a column, and the code in the domain for each code of the axis."""
    axis = axis_of(part, name)
    groupings = {g.column: g.group_of for g in part.codebook.groupings}
    return axis, np.asarray(groupings.get(name, range(axis.size)), dtype=np.int64)


def _shares(part: Measured, groups: Groups) -> Shares | None:
    """Return the shares of a release's records in groups of codes."""
    columns = part.domain.clique(groups)
    possible = allowed_cells(part.domain, columns, part.codebook.zeros).astype(np.float64)
    for axis, name in enumerate(columns):
        possible = sum_groups(possible, axis, groups[name].tolist())
    ordered = np.transpose(possible, [columns.index(name) for name in groups])
    return shares_of(part.facts, groups, ordered > 0, total=part.total, rows=part.rows_of_unit)


def _changed(
    columns: Clique,
    before: Shares,
    after: Shares,
    labels: tuple[tuple[str, ...], ...],
    *,
    each: float,
    beta: float,
    is_population: bool,
) -> Changed:
    covariance = before.noise + after.noise
    if is_population:
        covariance = covariance + before.sampling + after.sampling
    change, sds = after.shares - before.shares, np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    is_normal = min(before.least, after.least) >= 1.0
    z = NormalDist().inv_cdf(0.5 + each / 2) if is_normal else sqrt(2.0 * log(2.0 / (1.0 - each)))
    half = z * sds + (sds > 0) * (0.5 / before.records + 0.5 / after.records)
    lows, highs = np.maximum(change - half, -1.0), np.minimum(change + half, 1.0)
    distance, noise = float(np.abs(change).sum()) / 2, float(sds.sum()) * sqrt(2 / pi) / 2
    low = max(float(np.maximum(lows, 0.0).sum()), float(np.maximum(-highs, 0.0).sum()))
    high = min(float(np.maximum(highs, 0.0).sum()), float(np.maximum(-lows, 0.0).sum()), 1.0)
    if is_normal:
        scaled = covariance / np.outer(sds, sds).clip(1e-300)
        largest = float(np.linalg.eigvalsh(scaled)[-1]) * float(np.square(sds).sum())
        radius = sqrt(largest / 4) * sqrt(2 * log(2 / beta))
        low, high = max(low, distance - noise - radius), min(high, _largest(distance + radius, sds))
    order = np.argsort(-np.abs(change) / np.maximum(sds, 1e-300))
    cells = tuple(
        Moved(
            labels=labels[k],
            before=float(before.shares[k]),
            after=float(after.shares[k]),
            interval=(float(lows[k]), float(highs[k])),
        )
        for k in order.tolist()
    )
    return Changed(
        columns=columns, distance=distance, noise=noise, interval=(low, max(low, high)), cells=cells
    )


def _largest(distance: float, sds: NDArray[np.float64]) -> float:
    """Return the largest TVD at which the distance of the estimates can have this mean."""
    half = float(sds.sum()) / 2
    low, high = 0.0, distance / max(half, 1e-300)  # f(x) is at least x
    for _ in range(60):
        x = (low + high) / 2
        mean = sqrt(2 / pi) * exp(-x * x / 2) + x * erf(x / sqrt(2))
        low, high = (x, high) if mean * half <= distance else (low, x)
    return high * half


def _records(before: Measured, after: Measured, each: float) -> tuple[float, Span]:
    """Return the change in the number of records, with its interval."""
    found = [part.solve({}) for part in (before, after)]
    counts = [0.0 if one is None else one.estimate for one in found]
    change, half = counts[1] - counts[0], 0.0
    for one in found:
        half = np.inf if one is None else sqrt(half**2 + one.variance * one.deviations(each) ** 2)
    return change, (change - half, change + half)


def _said(table: Changed) -> str:
    """Return a description of the change of a table."""
    said, cell = f"{table.name}: {_spanned(table.interval, Form.SHARE)} of the records", table.cells[0]
    if not cell.is_found:
        return f"{said}."
    before, after = (written(share, Form.SHARE, 1) for share in (cell.before, cell.after))
    return f"{said}, most of all {', '.join(cell.labels)} ({before} to {after})."


def _spanned(span: Span, form: Form) -> str:
    decimals = 1 if form is Form.SHARE else 0
    low, high = (
        written(x, form, decimals, rounding=r) for x, r in zip(span, (np.floor, np.ceil), strict=True)
    )
    return f"{low} to {high}"
