"""Compute counts, shares and differences of counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from synth.analyst.answers import Answer, Form, Status
from synth.analyst.bounds import bound_of
from synth.analyst.conditions import Condition
from synth.analyst.measured import Measured, product
from synth.core.numbers import TIMES
from synth.estimates.estimated import estimated
from synth.estimates.least_squares import Term
from synth.estimates.ratios import ratio_of

Conditions = Sequence[Condition]


def records(conditions: Conditions) -> str:
    """Return a description of the records that satisfy the conditions."""
    return "records where " + " and ".join(c.words for c in conditions) if conditions else "all records"


def refused(
    measured: Measured, question: str, columns: Iterable[str], level: float, form: Form = Form.COUNT
) -> Answer:
    """Return a refusal that states what to measure next time."""
    reason = advice(measured, columns)
    return Answer(status=Status.REFUSED, question=question, form=form, level=level, reason=reason)


def advice(measured: Measured, columns: Iterable[str]) -> str:
    """Return advice on a question that cannot be answered: what is missing, and what to measure next time."""
    names = measured.domain.clique(columns)
    table = TIMES.join(names) or "all records"
    if any(set(names) <= set(fact.clique) for fact in measured.facts):
        return (
            f"The measurements of {table} are too coarse or too noisy for this question. A larger budget "
            "would help."
        )
    if len(names) > 2:
        return f"No measurement contains all of {table}. Ask about fewer columns."
    return f"No measurement contains {table}. Give these columns a high priority in the next release."


def count_of(measured: Measured, conditions: Conditions, level: float) -> Answer:
    """Return the number of records that satisfy all conditions, or a bound."""
    question, is_exact = records(conditions), all(c.is_exact for c in conditions)
    solution = measured.solve(product(conditions)) if is_exact else None
    if solution is not None:
        return Answer.of(measured.estimator.counted(solution, level), question, level)
    columns = [c.column for c in conditions]
    bound = bound_of(measured, tuple(conditions), level)
    if bound is None:
        return refused(measured, question, columns, level)
    reason = "A condition divides a bin of the measurements."
    reason = advice(measured, columns) if is_exact else reason
    return Answer(status=Status.BOUND, question=question, interval=bound, level=level, reason=reason)


def share_of(measured: Measured, conditions: Conditions, base: Conditions, level: float) -> Answer:
    """Return the share of the records of `base` that also satisfy the conditions, or a bound."""
    question = f"share of {records(conditions)}" + (f" among {records(base)}" if base else "")
    both, columns = joined(conditions, base), [c.column for c in (*conditions, *base)]
    if all(c.is_exact for c in both):
        system, factor = measured.system(columns), measured.rows_of_unit
        ratio = ratio_of(system, product(both), product(base), level=level, sampling=factor)
        if ratio is not None:
            return Answer.of(ratio.within(0.0, 1.0), question, level, form=Form.SHARE)
    each = 1 - (1 - level) / 2
    above, below = count_of(measured, both, each), count_of(measured, base, each)
    if above.interval is None or below.interval is None or below.interval[0] <= 0:
        return refused(measured, question, columns, level, Form.SHARE)
    bound = above.interval[0] / below.interval[1], min(1.0, above.interval[1] / below.interval[0])
    if bound == (0.0, 1.0):
        return refused(measured, question, columns, level, Form.SHARE)
    return Answer(
        status=Status.BOUND,
        question=question,
        form=Form.SHARE,
        interval=bound,
        level=level,
        reason=above.reason or below.reason or advice(measured, columns),
    )


def difference_of(measured: Measured, one: Conditions, other: Conditions, level: float) -> Answer:
    """Return the count of `one` minus the count of `other`."""
    question = f"difference between {records(one)} and {records(other)}"
    columns = [c.column for c in (*one, *other)] or list(measured.domain.names[:1])
    first, system = columns[0], measured.system(columns)
    unit = {first: np.ones(measured.domain.size([first]))}
    plus, minus = times(product(one), unit), times(product(other), unit)
    shared = times(plus, minus)
    solution = system.solve([plus, {**minus, first: -minus[first]}])
    squares = system.solve([plus, minus, {**shared, first: -2.0 * shared[first]}])
    if solution is None or squares is None or not all(c.is_exact for c in (*one, *other)):
        return refused(measured, question, columns, level)
    spread = max(0.0, squares.estimate - solution.estimate**2 / measured.size) * measured.rows_of_unit
    return Answer.of(estimated(solution, level, sampling=spread), question, level)


def times(one: Term, other: Term) -> Term:
    """Return the product of two terms."""
    return {**one, **{name: one[name] * v if name in one else v for name, v in other.items()}}


def joined(conditions: Conditions, base: Conditions) -> list[Condition]:
    """Return the combined conditions, one per column, for records that satisfy both."""
    found = {c.column: c for c in base}
    for c in conditions:
        found[c.column] = c if c.column not in found else c.also(found[c.column])
    return list(found.values())
