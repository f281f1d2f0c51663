"""Compute means, differences of means, totals, and quantiles.

Intervals come from the measurements and the fact that counts are not negative (`estimates.nonnegative`), so
no question is refused because a table was not measured. Points combine the synthetic rows with the
measurements (`estimates.combined`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import Answer, Answers, Form, Status
from synth.analyst.conditions import Condition
from synth.analyst.counts import Conditions, records, refused
from synth.analyst.crossed import groups_in_words
from synth.analyst.measured import Measured, product
from synth.core.axis import Axis
from synth.core.errors import Mistake
from synth.core.schema import Kind
from synth.estimates.combined import Middle, combined
from synth.estimates.estimated import Estimated, Span
from synth.estimates.nonnegative import Classes, Profile, classes_of, table_in
from synth.estimates.ratios import Ends, mean_of, total_of, values_of
from synth.release.codes import numbers_of

Vector = NDArray[np.float64]

BINS_END = "The intervals end at edges of bins."
ROWS_AND_MEASUREMENTS = {"the synthetic rows and all measurements of these columns": 1.0}
"""What an answer rests on if the measurements alone do not determine it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Average:
    """The mean of a column over the records that satisfy some conditions."""

    measured: Measured
    axis: Axis
    conditions: Conditions
    level: float

    @property
    def z(self) -> float:
        return NormalDist().inv_cdf(0.5 + self.level / 2)

    @cached_property
    def ends(self) -> Ends:
        return ends_of(self.measured, self.axis)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return self.measured.domain.clique([self.axis.name, *(c.column for c in self.conditions)])

    @cached_property
    def _marks(self) -> dict[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Return the codes that certainly and possibly belong to the records with a value."""
        has, name = self.ends[2] > 0, self.axis.name
        marks = {c.column: (c.inner, c.outer) for c in self.conditions}
        inner, outer = marks.get(name, (has, has))
        return {**marks, name: (inner & has, outer & has)}

    @cached_property
    def classes(self) -> dict[str, Classes] | None:
        return classes_of(self.measured.system(self.columns), self._marks, self.axis.name)

    @cached_property
    def profile(self) -> Profile | None:
        """Return the equations of the interval, or None if the columns have too many cells."""
        if self.classes is None:
            return None
        return Profile.of(self.measured.system(self.columns), self.classes)

    def cells(self, by_code: Vector) -> Vector:
        """Return values of the classes of the column for each cell of the unknown table."""
        assert self.classes is not None
        shape = [len(self.classes[name].inside) for name in self.columns]
        own = [-1 if name == self.axis.name else 1 for name in self.columns]
        return np.broadcast_to(by_code.reshape(own), shape).ravel()

    @cached_property
    def spans(self) -> tuple[Vector, Vector]:
        """Return the smallest and the largest value of each cell of the unknown table."""
        assert self.classes is not None
        low, high = self.classes[self.axis.name].ends(*self.ends)
        return self.cells(low), self.cells(high)

    @cached_property
    def cut(self) -> float:
        """Return the calibrated cut of the intervals."""
        assert self.profile is not None and self.classes is not None
        released = self.measured.released
        rows = released.project(self.columns) * (self.measured.size / max(released.rows, 1))
        table = table_in(self.classes, self.columns, rows).ravel()
        return self.profile.cut(self.level, self.profile.factor(table, np.asarray(sum(self.spans) / 2)))

    @cached_property
    def noisy(self) -> Estimated | None:
        """Return the unbiased estimate from the measurements, or None if they do not determine it."""
        if not all(c.is_exact for c in self.conditions):
            return None
        system = self.measured.system(self.columns)
        factor = self.measured.rows_of_unit
        return mean_of(
            system, self.axis.name, self.ends, product(self.conditions), level=self.level, sampling=factor
        )

    @cached_property
    def rows(self) -> tuple[Vector, NDArray[np.int64]]:
        """Return the values and the codes of the synthetic rows that satisfy the conditions."""
        released = self.measured.released
        for side in (0, 1):  # rows that certainly satisfy them, or rows that possibly do
            kept = np.ones(released.rows, dtype=np.bool_)
            for name, marks in self._marks.items():
                kept &= marks[side][released.codes[:, released.domain.axis(name)]]
            if kept.any():
                break
        values = numbers_of(self.measured.rows()[self.axis.name], self.axis) if not self.axis.labels else None
        codes = released.codes[:, released.domain.axis(self.axis.name)][kept].astype(np.int64)
        middle = (self.ends[0] + self.ends[1]) / 2
        return (middle[codes] if values is None else values[kept]), codes

    @cached_property
    def range(self) -> Span:
        """Return the range of possible means."""
        low, high, _ = self.ends
        may = self._marks[self.axis.name][1]
        return float(low[may].min()), float(high[may].max())

    @cached_property
    def middle(self) -> Middle:
        """Return the combined estimate, before it is limited to the interval."""
        values, codes = self.rows
        noisy = self.noisy
        middles = values if noisy is None else noisy.values[codes]
        pair = None if noisy is None else (noisy.estimate, noisy.noise)
        return combined(values, middles, pair, kappa=self.measured.kappa, ends=self.range)

    @cached_property
    def count(self) -> float:
        """Return the estimated number of records, which is not negative."""
        has = self._marks[self.axis.name][0].astype(np.float64)
        exact = all(c.is_exact for c in self.conditions)
        found = self.measured.solve({**product(self.conditions), self.axis.name: has}) if exact else None
        if found is not None:
            return max(0.0, found.estimate)
        scale = self.measured.size / max(self.measured.released.rows, 1)
        return len(self.rows[0]) * scale

    def estimated(self, middle: Middle | None = None) -> Averaged:
        """Return the mean with its intervals. `middle` replaces the combined estimate."""
        middle = middle or self.middle
        if self.profile is None:
            assert self.noisy is not None
            found, bins = self.noisy.interval, max(0.0, self.noisy.bins)
        else:
            low, high = self.spans
            found = self.profile.mean(low, high, self.cut)
            inside = self.profile.best[0] * self.profile.inside
            bins = float(inside @ (high - low)) / max(2 * float(inside.sum()), 1e-300)
        found = max(found[0], self.range[0]), min(found[1], self.range[1])
        found = min(found), max(found)
        estimate = min(max(middle.estimate, found[0]), found[1])
        values, half = self.rows[0], (found[1] - found[0]) / 2
        spread = float(values.std()) if len(values) > 1 else (self.range[1] - self.range[0]) / 4
        sampling = spread * sqrt(self.measured.rows_of_unit / max(self.count, 1.0))
        bins = min(bins, half)
        return Averaged(
            estimate=estimate,
            interval=found,
            population=widened(found, estimate, self.z * sampling, self.range),
            noise=(half - bins) / self.z,
            sampling=sampling,
            bins=bins,
            rests_on=ROWS_AND_MEASUREMENTS if self.noisy is None else self.noisy.rests_on,
        )


@dataclass(frozen=True, kw_only=True)
class Averaged:
    """A mean with its intervals."""

    estimate: float
    interval: Span
    population: Span
    noise: float
    sampling: float
    bins: float
    rests_on: dict[str, float]

    def answer(self, question: str, level: float, form: Form) -> Answer:
        return Answer(
            status=Status.INTERVAL,
            question=question,
            form=form,
            estimate=self.estimate,
            interval=self.interval,
            population=self.population,
            noise=self.noise,
            sampling=self.sampling,
            bins=self.bins,
            level=level,
            rests_on=self.rests_on,
        )


def widened(interval: Span, estimate: float, reach: float, limits: Span) -> Span:
    """Return an interval with an independent error of half-width `reach` added on each side, in squares."""
    low = estimate - sqrt((estimate - interval[0]) ** 2 + reach**2)
    high = estimate + sqrt((interval[1] - estimate) ** 2 + reach**2)
    return max(low, limits[0]), min(high, limits[1])


def mean_answer(
    measured: Measured, column: str, conditions: Conditions, level: float, *, middle: Middle | None = None
) -> Answer:
    """Return the mean of a column over the records that satisfy the conditions and have a value."""
    axis, question = axis_of(measured, column), f"mean {column} of {records(conditions)}"
    found = Average(measured=measured, axis=axis, conditions=conditions, level=level)
    if found.profile is None and found.noisy is None:
        return refused(measured, question, found.columns, level, _form(axis))
    if middle is None and len(conditions) == 1 and conditions[0].column != axis.name:
        middle = _of_group(measured, axis, conditions[0], level)
    return found.estimated(middle).answer(question, level, _form(axis))


def _of_group(measured: Measured, axis: Axis, one: Condition, level: float) -> Middle | None:
    """Return the estimate of a group among all groups of its column, or None if it is not one of them."""
    groups = _groups(measured, [axis.name, one.column], one.column)
    for (chosen, _), middle in zip(groups, _agreeing(measured, axis, one.column, (), level), strict=True):
        if one.is_exact and np.array_equal(chosen, one.inner):
            return middle
    return None


def _agreeing(measured: Measured, axis: Axis, by: str, conditions: Conditions, level: float) -> list[Middle]:
    """Return the estimates of all groups, adjusted so that their weighted mean is the mean of all records.

    Each is moved in proportion to its variance times its number of records, the smallest change in units of
    the standard deviations.
    """
    parts = [
        Average(measured=measured, axis=axis, conditions=(*conditions, group), level=level)
        for group in _conditions_of(measured, [axis.name, by, *(c.column for c in conditions)], by)
    ]
    whole = Average(measured=measured, axis=axis, conditions=conditions, level=level)
    counts = np.array([part.count for part in parts])
    means = np.array([part.middle.estimate for part in parts])
    weight = np.array([part.middle.sd for part in parts]) ** 2 * counts
    gap, scale = counts.sum() * whole.middle.estimate - counts @ means, float(counts @ weight)
    moved = means + (weight * (gap / scale) if scale > 0 else 0.0)
    low, high = whole.range
    moved = np.clip(moved, low, high)
    return [Middle(estimate=float(m), sd=part.middle.sd) for m, part in zip(moved, parts, strict=True)]


def total_answer(measured: Measured, column: str, conditions: Conditions, level: float) -> Answer:
    """Return the sum of a column over the records that satisfy the conditions."""
    axis, question = axis_of(measured, column), f"total {column} of {records(conditions)}"
    if _form(axis) is Form.DATE:
        raise Mistake(f"{column!r} has dates, which have no total. Ask for their mean.")
    of = Average(measured=measured, axis=axis, conditions=conditions, level=level)
    noisy, size = None, measured.size
    if all(c.is_exact for c in conditions):
        system, factor = measured.system(of.columns), measured.rows_of_unit
        where = product(conditions)
        noisy = total_of(system, axis.name, of.ends, where, level=level, sampling=factor, size=size)
    if of.profile is None:
        if noisy is None:
            return refused(measured, question, of.columns, level, Form.NUMBER)
        return Answer.of(noisy, question, level, form=Form.NUMBER)
    low, high = of.spans
    most = size * max(abs(end) for end in of.range)
    ends = [
        of.profile.total(values, of.cut, sign=sign, most=2 * most)
        for values, sign in ((low, -1.0), (high, 1.0))
    ]
    few, many = min(ends), max(ends)
    inside = of.profile.best[0] * of.profile.inside
    estimate = of.middle.estimate * of.count if noisy is None else noisy.estimate
    estimate, bins = min(max(estimate, few), many), float(inside @ (high - low)) / 2
    bins = min(bins, (many - few) / 2)
    squares = float(np.square(of.rows[0]).mean()) if len(of.rows[0]) else 0.0
    spread = of.count * squares - estimate**2 / size
    sampling = sqrt(max(0.0, spread) * measured.rows_of_unit)
    return Answer(
        status=Status.INTERVAL,
        question=question,
        form=Form.NUMBER,
        estimate=estimate,
        interval=(few, many),
        population=widened((few, many), estimate, of.z * sampling, (-inf, inf)),
        noise=((many - few) / 2 - bins) / of.z,
        sampling=sampling,
        bins=bins,
        level=level,
        rests_on=ROWS_AND_MEASUREMENTS if noisy is None else noisy.rests_on,
    )


def answers_by(
    measured: Measured, column: str, by: str, conditions: Conditions, level: float, *, total: bool = False
) -> Answers:
    """Return a mean or total for each group of a column that the measurements distinguish.

    The means of the groups agree with the mean of all of them.
    """
    axis = axis_of(measured, column)
    names = [axis.name, axis_of(measured, by).name, *(c.column for c in conditions)]
    groups = _conditions_of(measured, names, by)
    if total:
        return Answers(total_answer(measured, column, (*conditions, group), level) for group in groups)
    middles = _agreeing(measured, axis, by, conditions, level)
    return Answers(
        mean_answer(measured, column, (*conditions, group), level, middle=middle)
        for group, middle in zip(groups, middles, strict=True)
    )


def _groups(measured: Measured, columns: list[str], by: str) -> list[tuple[NDArray[np.bool_], str]]:
    """Return the groups of a column that were measured with the other columns, or else alone."""
    found = measured.system(columns).cells or measured.system([by]).cells
    codes = np.arange(measured.domain.size([by])) if found is None else found[by]
    return groups_in_words(measured, codes, by)


def _conditions_of(measured: Measured, columns: list[str], by: str) -> list[Condition]:
    return [
        Condition(column=by, inner=chosen, outer=chosen, words=f"{by} is {label}")
        for chosen, label in _groups(measured, columns, by)
    ]


def difference_of_means(
    measured: Measured, column: str, one: Conditions, other: Conditions, level: float
) -> Answer:
    """Return the mean of a column in one group minus its mean in a disjoint group.

    The distances from the estimates to the ends of both intervals are added in squares (Zou and Donner 2008),
    and the parts due to bins are added.
    """
    axis = axis_of(measured, column)
    question = f"difference in mean {column} between {records(one)} and {records(other)}"
    groups = [Average(measured=measured, axis=axis, conditions=of, level=level) for of in (one, other)]
    for of in groups:
        if of.profile is None and of.noisy is None:
            return refused(measured, question, of.columns, level)
    a, b = (of.estimated() for of in groups)
    middle, bins = a.estimate - b.estimate, a.bins + b.bins
    limits = groups[0].range[0] - groups[1].range[1], groups[0].range[1] - groups[1].range[0]

    def apart(span: Callable[[Averaged], Span]) -> Span:
        (low_a, high_a), (low_b, high_b) = span(a), span(b)
        below = _added(a.estimate - low_a - a.bins, high_b - b.estimate - b.bins) + bins
        above = _added(high_a - a.estimate - a.bins, b.estimate - low_b - b.bins) + bins
        return max(middle - below, limits[0]), min(middle + above, limits[1])

    interval = apart(lambda mean: mean.interval)
    half = (interval[1] - interval[0]) / 2
    return Answer(
        status=Status.INTERVAL,
        question=question,
        form=Form.NUMBER,
        estimate=middle,
        interval=interval,
        population=apart(lambda mean: mean.population),
        noise=max(0.0, half - bins) / groups[0].z,
        sampling=sqrt(a.sampling**2 + b.sampling**2),
        bins=min(bins, half),
        level=level,
        rests_on={name: share / 2 for mean in (b, a) for name, share in mean.rests_on.items()}
        if a.rests_on.keys() != b.rests_on.keys()
        else a.rests_on,
    )


def _added(one: float, other: float) -> float:
    return sqrt(max(0.0, one) ** 2 + max(0.0, other) ** 2)


def quantile_answer(
    measured: Measured, column: str, at: float, conditions: Conditions, level: float
) -> Answer:
    """Return a quantile of a column over the records that satisfy the conditions and have a value."""
    axis = axis_of(measured, column)
    if not axis.edges:
        raise Mistake(
            f"{column!r} has no range of numbers or dates, so it has no quantiles. Ask for counts instead."
        )
    if not 0 < at < 1:
        raise Mistake(f"A quantile is between 0 and 1 (you gave {at}). The median is 0.5.")
    question = f"{'median' if at == 0.5 else f'{at:g}-quantile'} of {column} of {records(conditions)}"
    of = Average(measured=measured, axis=axis, conditions=conditions, level=level)
    if of.profile is None or of.classes is None:
        return refused(measured, question, of.columns, level, _form(axis))
    own = of.classes[axis.name]
    order = of.cells(own.expand.argmax(axis=0).astype(np.float64))
    low, high = own.ends(*of.ends)
    cut, reach = (
        of.profile.cut(level, 1.0),
        of.z * sqrt(at * (1 - at) * measured.rows_of_unit / max(of.count, 1.0)),
    )
    spans = []
    for ends in ((at, at), (max(at - reach, 1e-9), min(at + reach, 1 - 1e-9))):
        first, last = of.profile.quantile(order, ends, cut)
        spans.append((float(low[first]), float(high[last])))
    values = np.sort(of.rows[0])
    rank = min(max(ceil(at * len(values)) - 1, 0), len(values) - 1)
    estimate = float(values[rank]) if len(values) else sum(spans[0]) / 2
    estimate = min(max(estimate, spans[0][0]), spans[0][1])
    return Answer(
        status=Status.INTERVAL,
        question=question,
        form=_form(axis),
        estimate=estimate,
        interval=spans[0],
        population=(min(spans[0][0], spans[1][0]), max(spans[0][1], spans[1][1])),
        level=level,
        rests_on=ROWS_AND_MEASUREMENTS,
        reason=BINS_END,
    )


def axis_of(measured: Measured, name: str) -> Axis:
    """Return the axis of a column. Raises: `Mistake` for an unknown name."""
    for axis in measured.codebook.axes:
        if axis.name == name:
            return axis
    raise Mistake(f"There is no column {name!r}. The columns are: {', '.join(measured.domain.names)}.")


def ends_of(measured: Measured, axis: Axis) -> Ends:
    """Return the smallest and the largest value of each code of the domain (see `estimates.ratios`)."""
    groupings = {g.column: g for g in measured.codebook.groupings}
    return values_of(axis, groupings.get(axis.name))


def _form(axis: Axis) -> Form:
    return Form.DATE if axis.column.kind is Kind.DATE else Form.NUMBER
