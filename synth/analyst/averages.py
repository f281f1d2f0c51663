"""Compute means, differences of means, totals, and quantiles."""

from __future__ import annotations

from dataclasses import replace
from math import hypot, sqrt

from synth.analyst.answers import Answer, Form
from synth.analyst.conditions import Condition
from synth.analyst.counts import Conditions, records, refused, times
from synth.analyst.crossed import groups_in_words
from synth.analyst.linear.estimates import Estimated, estimated
from synth.analyst.linear.quantiles import quantile_of
from synth.analyst.linear.ratios import Ends, mean_of, total_of, values_of
from synth.analyst.measured import Measured, product
from synth.core.axis import Axis
from synth.core.errors import Mistake
from synth.core.schema import Kind

CERTAIN = 5.0
"""Minimum distance of the count of each group from zero, in standard deviations, at which a difference of
means is computed.
"""


def mean_answer(measured: Measured, column: str, conditions: Conditions, level: float) -> Answer:
    """Return the mean of a column over the records that satisfy the conditions and have a value."""
    axis, question = axis_of(measured, column), f"mean {column} of {records(conditions)}"
    found, form = _mean(measured, axis, conditions, level), _form(axis)
    if found is None:
        return refused(measured, question, [column, *(c.column for c in conditions)], level, form)
    return found.answer(question, level, form=form)


def total_answer(measured: Measured, column: str, conditions: Conditions, level: float) -> Answer:
    """Return the sum of a column over the records that satisfy the conditions."""
    axis, question = axis_of(measured, column), f"total {column} of {records(conditions)}"
    if _form(axis) is Form.DATE:
        raise Mistake(f"{column!r} has dates, which have no total. Ask for their mean.")
    ends, names, found = _values(measured, axis), [axis.name, *(c.column for c in conditions)], None
    if all(c.is_exact for c in conditions):
        system, size, factor = measured.system(names), measured.size, measured.rows_of_unit
        where = product(conditions)
        found = total_of(system, axis.name, ends, where, level=level, sampling=factor, size=size)
    if found is None:
        return refused(measured, question, names, level, Form.NUMBER)
    return found.answer(question, level, form=Form.NUMBER)


def answers_by(
    measured: Measured, column: str, by: str, conditions: Conditions, level: float, *, total: bool = False
) -> tuple[Answer, ...]:
    """Return a mean or total for each group of a column that the measurements distinguish, or a single
    refusal.
    """
    columns = [axis_of(measured, name).name for name in (column, by)]
    columns += [c.column for c in conditions]
    groups = measured.system(columns).cells
    if groups is None:
        question = f"{'total' if total else 'mean'} {column} by {by} of {records(conditions)}"
        return (refused(measured, question, columns, level),)
    found, answer = [], total_answer if total else mean_answer
    for chosen, label in groups_in_words(measured, groups[by], by):
        group = Condition(column=by, inner=chosen, outer=chosen, words=f"{by} is {label}")
        found.append(answer(measured, column, (*conditions, group), level))
    return tuple(found)


def difference_of_means(
    measured: Measured, column: str, one: Conditions, other: Conditions, level: float
) -> Answer:
    """Return the mean of a column in one group minus its mean in a disjoint group.

    The noise variance is the variance of the linear part of the difference (delta method).
    """
    axis, has = axis_of(measured, column), _values(measured, axis_of(measured, column))[2]
    question = f"difference in mean {column} between {records(one)} and {records(other)}"
    refusal = refused(measured, question, [column, *(c.column for c in (*one, *other))], level)
    means, terms = [], []
    for sign, group in ((1.0, one), (-1.0, other)):
        mean = _mean(measured, axis, group, level)
        count = None if mean is None else measured.solve(times({column: has}, product(group)))
        if mean is None or count is None or count.estimate <= CERTAIN * sqrt(count.variance):
            return refusal
        error = sign * has * (mean.values - mean.estimate) / count.estimate
        terms.append(times({column: error}, product(group)))
        means.append(mean)
    solution = measured.solve(*terms)
    if solution is None:
        return refusal
    a, b = means
    solution = replace(solution, estimate=a.estimate - b.estimate)
    sampling = hypot(a.sampling, b.sampling) ** 2
    found = estimated(solution, level, sampling=sampling, bins=a.bins + b.bins)
    return found.answer(question, level, form=Form.NUMBER)


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
    columns, found = [column, *(c.column for c in conditions)], None
    if all(c.is_exact for c in conditions):
        system, ends, factor = measured.system(columns), _values(measured, axis), measured.rows_of_unit
        found = quantile_of(system, column, ends, product(conditions), at, level=level, sampling=factor)
    if found is None:
        return refused(measured, question, columns, level, _form(axis))
    return found.answer(question, level, form=_form(axis), reason="The intervals end at edges of bins.")


def axis_of(measured: Measured, name: str) -> Axis:
    """Return the axis of a column. Raises: `Mistake` for an unknown name."""
    for axis in measured.codebook.axes:
        if axis.name == name:
            return axis
    raise Mistake(f"There is no column {name!r}. The columns are: {', '.join(measured.domain.names)}.")


def _mean(measured: Measured, axis: Axis, conditions: Conditions, level: float) -> Estimated | None:
    if not all(c.is_exact for c in conditions):
        return None
    system = measured.system([axis.name, *(c.column for c in conditions)])
    ends, factor = _values(measured, axis), measured.rows_of_unit
    return mean_of(system, axis.name, ends, product(conditions), level=level, sampling=factor)


def _values(measured: Measured, axis: Axis) -> Ends:
    groupings = {g.column: g for g in measured.codebook.groupings}
    return values_of(axis, groupings.get(axis.name))


def _form(axis: Axis) -> Form:
    return Form.DATE if axis.column.kind is Kind.DATE else Form.NUMBER
