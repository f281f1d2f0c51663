"""Means, their differences, and quantiles."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, sqrt

from synth.analyst.answers import Answer, Form
from synth.analyst.conditions import Condition
from synth.analyst.counts import Conditions, answered, records, refused, times
from synth.analyst.crossed import groups_in_words
from synth.analyst.measured import Measured, half_width, product
from synth.analyst.quantiles import quantile_of
from synth.analyst.ratios import Mean, Vector, mean_of, values_of
from synth.core.axis import Axis
from synth.core.errors import Mistake
from synth.core.schema import Kind

CERTAIN = 5.0
"""Standard deviations that the count of a group must be above zero for a difference of means."""


def mean_answer(measured: Measured, column: str, conditions: Conditions, level: float) -> Answer:
    """Return the mean of a column over the records that satisfy the conditions and have a value."""
    axis = axis_of(measured, column)
    question = f"mean {column} of {records(conditions)}"
    found = _mean(measured, axis, conditions, level)
    columns = [column, *(c.column for c in conditions if c.column != column)]
    if found is None:
        return refused(measured, question, columns, level, _form(axis))
    spans = [found.interval, found.population]
    middle = found.middle
    sds = middle.noise, middle.sampling
    return answered(
        question, middle.solution, middle.estimate, spans, sds, level, form=_form(axis), bins=found.bins
    )


def groups_of(measured: Measured, column: str, by: str, conditions: Conditions) -> Iterator[Condition]:
    """Yield the groups of a column that the measurements separate together with another column."""
    axis_of(measured, by)
    system = measured.system([column, by, *(c.column for c in conditions)])
    groups = system.cells or system.atoms
    for chosen, label in groups_in_words(measured, groups[by], by):
        yield Condition(column=by, inner=chosen, outer=chosen, words=f"{by} is {label}")


def difference_of_means(
    measured: Measured, column: str, one: Conditions, other: Conditions, level: float
) -> Answer:
    """Return the mean of a column in one group less that in another group of other records.

    The variance of the noise is that of the linear part of the difference (delta method).
    """
    axis = axis_of(measured, column)
    question = f"difference in mean {column} between {records(one)} and {records(other)}"
    columns = [column, *(c.column for c in (*one, *other) if c.column != column)]
    means = [_mean(measured, axis, group, level) for group in (one, other)]
    has = _values(measured, axis)[2]
    terms, sampling = [], 0.0
    for sign, group, mean in zip((1.0, -1.0), (one, other), means, strict=True):
        count = None if mean is None else measured.solve(times({column: has}, product(group)))
        if mean is None or count is None or count.estimate <= CERTAIN * sqrt(count.variance):
            return refused(measured, question, columns, level, _form(axis))
        error = sign * has * (mean.values - mean.middle.estimate) / count.estimate
        terms.append(times({column: error}, product(group)))
        sampling = hypot(sampling, mean.middle.sampling)
    solution = measured.solve(*terms)
    assert means[0] is not None and means[1] is not None
    if solution is None:
        return refused(measured, question, columns, level, _form(axis))
    estimate, bins = means[0].middle.estimate - means[1].middle.estimate, means[0].bins + means[1].bins
    noise = sqrt(solution.variance)
    halves = [half_width(solution, level, sampling=extra**2) + bins for extra in (0.0, sampling)]
    spans = [(estimate - half, estimate + half) for half in halves]
    return answered(
        question, solution, estimate, spans, (noise, sampling), level, form=Form.NUMBER, bins=bins
    )


def quantile_answer(
    measured: Measured, column: str, at: float, conditions: Conditions, level: float
) -> Answer:
    """Return a quantile of a column over the records that satisfy the conditions and have a value."""
    axis = axis_of(measured, column)
    if not axis.edges:
        raise Mistake(f"{column!r} has no range of numbers or dates, so it has no quantiles. Ask for counts.")
    if not 0 < at < 1:
        raise Mistake(f"A quantile is between 0 and 1 (you gave {at}). The median is 0.5.")
    question = f"{at:g}-quantile of {column} of {records(conditions)}"
    columns = [column, *(c.column for c in conditions if c.column != column)]
    if not all(c.is_exact for c in conditions):
        return refused(measured, question, columns, level, _form(axis))
    found = quantile_of(
        measured.system(columns),
        column,
        _values(measured, axis),
        product(conditions),
        at,
        level=level,
        sampling=measured.rows_of_unit,
    )
    if found is None:
        return refused(measured, question, columns, level, _form(axis))
    spans = [found.interval, found.population]
    return answered(
        question,
        found.solution,
        found.estimate,
        spans,
        (0.0, 0.0),
        level,
        form=_form(axis),
        reason="The intervals end at edges of bins.",
    )


def axis_of(measured: Measured, name: str) -> Axis:
    """Return the codes of a column. Raises: `Mistake` for an unknown name."""
    for axis in measured.codebook.axes:
        if axis.name == name:
            return axis
    raise Mistake(f"There is no column {name!r}. The columns are: {', '.join(measured.domain.names)}.")


def _mean(measured: Measured, axis: Axis, conditions: Conditions, level: float) -> Mean | None:
    if not all(c.is_exact for c in conditions):
        return None
    return mean_of(
        measured.system([axis.name, *(c.column for c in conditions)]),
        axis.name,
        _values(measured, axis),
        product(conditions),
        level=level,
        sampling=measured.rows_of_unit,
    )


def _values(measured: Measured, axis: Axis) -> tuple[Vector, Vector, Vector]:
    groupings = {g.column: g for g in measured.codebook.groupings}
    return values_of(axis, groupings.get(axis.name))


def _form(axis: Axis) -> Form:
    return Form.DATE if axis.column.kind is Kind.DATE else Form.NUMBER
