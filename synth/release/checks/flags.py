"""Warnings about a faulty release, found without reading the private table.

Each warning is a sentence for all readers, with the column titles that charts use. It also states whether it
blocks the release, and contains advice for the steward. Reports omit the advice, because their readers cannot
change the declarations. Thresholds on noisy counts are six sigmas, so noise alone is very unlikely to cause a
warning for a correct release of a hundred columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from synth.core.axis import Axis, Grouping
from synth.core.codebook import Codebook
from synth.core.domain import Clique
from synth.core.measurements.noisy import Measurement
from synth.core.numbers import TIMES, number_of, per_cent
from synth.core.schema import Kind
from synth.core.zeros import Zero, allowed_cells
from synth.estimates.effects import Pool
from synth.release.checks.residuals import BEYOND, Residual
from synth.release.checks.tally import Counted

if TYPE_CHECKING:
    import pandas as pd

SURE = 6.0
"""Number of standard deviations above which a noisy count is treated as larger than zero."""

EXPECTED_ROWS = 20.0
"""Minimum expected number of synthetic rows at which an absent value counts as missed."""

STRAINED = 0.05
"""Largest acceptable proportion of a measured table's cells beyond 3 sigmas. The expected proportion from
noise alone is `BY_NOISE`.
"""

BY_NOISE = math.erfc(BEYOND / math.sqrt(2))
"""Expected proportion of cells beyond 3 sigmas if noise is the only cause: 0.0027."""

RARE = 0.05
"""Significance level of the test for strained tables.

A warning is given if noise alone would cause this number of cells beyond 3 sigmas with a smaller
probability.
"""

BLANKS_LOST = "blanks_lost"
"""Code of the warning about a column that lost records."""
_BLANK = "a blank"
EMPTY = 0.9
"""Proportion of missing cells above which a column is reported as nearly empty."""

ENOUGH_ROWS = 30
AT_CENTRE = 0.9
"""Proportion of values in the middle of their bins at which a warning is given.

The check uses values in wide bins, and needs at least `ENOUGH_ROWS` of them.
"""


@dataclass(frozen=True, kw_only=True)
class Flag:
    """One warning.

    `code` is a stable identifier for programs. `columns` are the affected columns, if any. `advice` is what
    the steward can do; it is empty if there is nothing to do.
    """

    code: str
    sentence: str
    blocks: bool
    columns: tuple[str, ...] = ()
    advice: str = ""

    @property
    def advised(self) -> str:
        """Return the advice as a sentence about a further run, because a finished run cannot be changed."""
        return f"For another run: {self.advice[0].lower()}{self.advice[1:]}" if self.advice else ""

    @property
    def with_advice(self) -> str:
        """Return the sentence with the advice, for the steward."""
        return f"{self.sentence} {self.advised}".rstrip()


def fit_flags(converged: bool) -> list[Flag]:
    """Warn if the fit of the model did not converge."""
    if converged:
        return []
    sentence = "The model stopped before it converged."
    advice = "Raise its limits or lower its capacity."
    return [Flag(code="not_converged", sentence=sentence, blocks=True, advice=advice)]


def rule_flags(violations: Mapping[str, int]) -> list[Flag]:
    """Warn of rules that synthetic rows break. `violations` maps the sentence of each rule to the number of
    such rows.
    """
    return [
        Flag(
            code="rule_broken",
            sentence=f"{number_of(count, 'synthetic row')} {'breaks' if count == 1 else 'break'} the rule: "
            f"{rule}.",
            blocks=True,
        )
        for rule, count in violations.items()
        if count
    ]


def residual_flags(
    residuals: Iterable[Residual], titles: Mapping[str, str], *, relates: bool = True
) -> list[Flag]:
    """Warn of measurements whose residuals are too large to be explained by noise.

    The threshold depends on the number of tables. If a table was measured more than once, the worst result is
    used. `titles` has the titles of columns by name. `relates` is True if the generator uses relations;
    otherwise, one warning covers all tables of several columns.
    """
    found, worst = sorted(residuals, key=lambda r: r.beyond), dict[Clique, Residual]()
    for r in found:
        if r.cells == 1:
            is_missed = len(found) * math.erfc(r.largest / math.sqrt(2)) < RARE
        else:
            by_chance = len(found) * bdtrc(round(r.beyond * r.cells) - 1, r.cells, BY_NOISE)
            is_missed = r.beyond > max(STRAINED, 1.5 / r.cells) and by_chance < RARE
        if is_missed:
            worst[r.clique] = r
    missed = list(reversed(worst.values()))
    unread = [] if relates else [r.clique for r in missed if len(r.clique) > 1]
    return [
        *_unrelated(unread, titles),
        *(_strained(r, titles) for r in missed if r.clique not in unread),
    ]


def _unrelated(cliques: Sequence[Clique], titles: Mapping[str, str]) -> list[Flag]:
    """Warn of tables that do not fit because the generator only uses single columns. The worst table is
    first.
    """
    if not cliques:
        return []
    more = f" and of {number_of(len(cliques) - 1, 'more table')}" if len(cliques) > 1 else ""
    return [
        Flag(
            code="unrelated",
            sentence="The synthetic table has no relations between columns, because its generator uses "
            f"none. It does not fit the measurement of {_named(cliques[0], titles)}{more}.",
            blocks=False,
            columns=tuple(dict.fromkeys(name for clique in cliques for name in clique)),
            advice="Choose a generator that uses relations.",
        )
    ]


def _strained(r: Residual, titles: Mapping[str, str]) -> Flag:
    """Warn of a measured table that the generator used, but that the records do not fit."""
    far = "more than {} standard deviations away"
    which = f"{per_cent(r.beyond)} of its {number_of(r.cells, 'noisy count')} are {far.format(3)}"
    if r.cells == 1:
        which = f"its one count is {far.format(math.floor(r.largest))}"
    return Flag(
        code="strained",
        sentence=f"The synthetic table does not fit the measurement of {_named(r.clique, titles)}: {which}.",
        blocks=False,
        columns=r.clique,
    )


def column_flags(synthetic: Counted, pool: Pool, codebook: Codebook, *, total: float) -> list[Flag]:
    """Warn of constant columns, and of values that occur in the measurements but in no synthetic row."""
    if synthetic.rows == 0:
        return []
    flags = []
    for axis in codebook.axes:
        clique = (axis.name,)
        counts = synthetic.counts(clique)
        if len(counts) < 2:
            continue
        allowed = allowed_cells(synthetic.domain, clique, codebook.zeros)
        missed = _missed(counts, pool, clique, allowed, total=total)
        if np.count_nonzero(counts) == 1:
            always = _label(axis, codebook.groupings, int(np.argmax(counts)))
            flags.append(_constant(axis, always, sure=bool(missed.size)))
        elif missed.size:
            names = [_label(axis, codebook.groupings, int(code)) for code in missed[:5]]
            more = f" and {missed.size - 5} more" if missed.size > 5 else ""
            sentence = (
                f"Column {axis.column.heading!r} never has the value {', '.join(names)}{more}, although the "
                f"measurements show {'it' if missed.size == 1 else 'them'}."
            )
            flags.append(Flag(code="value_unused", sentence=sentence, blocks=True, columns=clique))
    return flags


def _missed(
    counts: NDArray[np.int64],
    pool: Pool,
    clique: tuple[str],
    allowed: NDArray[np.bool_],
    *,
    total: float,
) -> NDArray[np.int64]:
    """Return the codes that have no synthetic row, although their noisy count is significant and predicts
    several rows.
    """
    if not pool.supports(clique):
        return np.empty(0, dtype=np.int64)
    average = pool.average(clique)
    floor = max(SURE * average.variance**0.5, EXPECTED_ROWS * total / max(int(counts.sum()), 1))
    return np.flatnonzero((counts == 0) & allowed & (average.counts > floor))


def _constant(axis: Axis, always: str, *, sure: bool) -> Flag:
    what = "is blank" if always == _BLANK else "has the same value"
    verdict = "although the measurements show others" if sure else "which may be true of these people"
    sentence = f"Column {axis.column.heading!r} {what} in every row, {verdict}."
    return Flag(code="constant_column", sentence=sentence, blocks=sure, columns=(axis.name,))


def _named(clique: Clique, titles: Mapping[str, str]) -> str:
    """Return a name for a table from the titles of its columns."""
    return TIMES.join(titles[name] for name in clique)


def _label(axis: Axis, groupings: Sequence[Grouping], code: int) -> str:
    """Return a name for a coarse code, based on the labels in the schema."""
    grouping = next((g for g in groupings if g.column == axis.name), None)
    fine = [code] if grouping is None else [i for i, g in enumerate(grouping.group_of) if g == code]
    return " or ".join(
        _BLANK if i == axis.missing_code else axis.label(i) if axis.edges else repr(axis.label(i))
        for i in fine[:3]
    )


def contradiction_flags(pool: Pool, zeros: Sequence[Zero], titles: Mapping[str, str]) -> list[Flag]:
    """Warn of rules that the private file probably breaks. `titles` maps column names to titles."""
    flags = []
    for zero in zeros:
        if not pool.supports(zero.clique) or not zero.forbidden.any():
            continue
        average = pool.average(zero.clique)
        inside, sigma = average.counts[zero.forbidden], average.variance**0.5
        if inside.max() > SURE * sigma or inside.sum() > SURE * sigma * inside.size**0.5:
            sentence = (
                f"The measurements show records in cells of {_named(zero.clique, titles)} that a rule "
                "forbids. If the file breaks the rule, the synthetic table differs from the truth."
            )
            flag = Flag(code="rule_doubted", sentence=sentence, blocks=False, columns=zero.clique)
            flags.append(replace(flag, advice="Check the rule."))
    return flags


def empty_flags(pool: Pool, axes: Sequence[Axis]) -> list[Flag]:
    """Warn of columns that are nearly empty according to their noisy counts. The last code of an axis is the
    code of missing cells.
    """
    flags = []
    for axis in axes:
        if not axis.column.blank or not pool.supports((axis.name,)):
            continue
        average, odds = pool.average((axis.name,)), EMPTY / (1 - EMPTY)
        missing, filled = average.counts[-1], average.counts[:-1]
        sigma = (average.variance * (1 + odds**2 * filled.size)) ** 0.5
        if missing - odds * filled.sum() > SURE * sigma:
            share = per_cent(missing / max(average.counts.sum(), missing))
            sentence = (
                f"Column {axis.column.heading!r} is nearly empty: about {share} of its cells are missing or "
                "could not be read as declared."
            )
            flag = Flag(code="nearly_empty", sentence=sentence, blocks=False, columns=(axis.name,))
            flags.append(
                replace(
                    flag, advice="If these cells have values in the file, declare how the values are written."
                )
            )
    return flags


def blank_flags(measurements: Iterable[Measurement], axes: Sequence[Axis]) -> list[Flag]:
    """Warn of columns declared as never blank in which records are lost.

    The sum of the noisy counts of such a column is lower than that of other columns: it has no code for a
    blank cell, so a marginal with this column does not count records with a blank cell in it. A table
    computed from interactions always sums to all records, so it does not show such a loss.
    """
    strict = {axis.name: axis.column.heading for axis in axes if not axis.column.blank}
    noisy: dict[str, list[_Sum]] = {}
    for m in measurements:
        if len(m.clique) == 1 and not m.joined:
            noisy.setdefault(m.clique[0], []).append(
                (float(m.counts.sum()), float(m.variance * m.counts.size))
            )
    sums = {name: _mean(several) for name, several in noisy.items()}
    return [
        Flag(
            code=BLANKS_LOST,
            sentence=f"Column {strict[name]!r} is declared never blank, but its noisy counts add up to about "
            f"{max(round(own), 0):,} records and those of {other} to about {round(most):,}. The other cells "
            "were read as blank: they are empty, or not written as declared. The error of "
            "tables with this column is unknown.",
            blocks=False,
            columns=(name,),
            advice="Correct the declaration or the file.",
        )
        for name, (own, variance) in sums.items()
        if name in strict
        for most, other in _fuller((own, variance), [others for key, others in sums.items() if key != name])
    ]


_Sum = tuple[float, float]
"""A sum of noisy counts and its variance."""


def _mean(sums: Sequence[_Sum]) -> _Sum:
    """Return the mean weighted by precision."""
    precision = sum(1 / variance for _, variance in sums)
    return sum(noisy / variance for noisy, variance in sums) / precision, 1 / precision


def _fuller(own: _Sum, others: Sequence[_Sum]) -> Iterator[tuple[float, str]]:
    """Yield a significantly larger sum of other columns, if there is one, with its description.

    This is the largest sum or, if the largest sum is not significantly larger, the mean of the sums.
    """
    if not others:
        return
    largest = max(others, key=lambda noisy: noisy[0] - SURE * noisy[1] ** 0.5)
    for (most, variance), words in ((largest, "another column"), (_mean(others), "the others on average")):
        if most - own[0] > SURE * (own[1] + variance) ** 0.5:
            yield most, words
            return


def centre_flags(frame: pd.DataFrame, axes: Sequence[Axis]) -> list[Flag]:
    """Warn of columns whose values are decoded to the middle of their bins."""
    return [
        Flag(
            code="bin_centres",
            sentence=f"All values of column {axis.column.heading!r} are at the middle of their bins.",
            blocks=True,
            columns=(axis.name,),
        )
        for axis in axes
        if axis.edges
        and axis.column.multiple
        is None  # if each bin has one multiple, all values are in the middle of their bins
        and axis.name in frame
        and _all_at_centres(_numbers(frame[axis.name], axis), axis)
    ]


def _all_at_centres(values: NDArray[np.float64], axis: Axis) -> bool:
    edges = np.asarray(axis.edges, dtype=np.float64)
    whole = axis.column.kind is not Kind.DECIMAL
    cell = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, axis.cells - 1)
    low, high = edges[cell], edges[cell + 1]
    wide = (high - low) > (2.0 if whole else 0.0)
    if np.count_nonzero(wide) < ENOUGH_ROWS:
        return False
    centre = (low + high - 1.0) / 2.0 if whole else (low + high) / 2.0
    tolerance = 0.5 if whole else 1e-6 * (high - low)
    return float((np.abs(values - centre) <= tolerance)[wide].mean()) > AT_CENTRE


def _numbers(column: pd.Series, axis: Axis) -> NDArray[np.float64]:
    """Return the values of a column in the units of its edges (for dates: days since 1970), without missing
    values.
    """
    kept = column.dropna()
    if axis.column.kind is Kind.DATE:
        days = np.asarray(kept.astype(str).str.slice(0, 10).to_numpy(dtype=str), dtype="datetime64[D]")
        return days.astype(np.int64).astype(np.float64)
    return np.asarray(kept[kept != axis.other].to_numpy(), dtype=np.float64)
