"""Counts, shares and differences of counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np

from synth.analyst.answers import Answer, Form, Span, Status
from synth.analyst.bounds import bound_of
from synth.analyst.conditions import Condition
from synth.analyst.least_squares import Solution, Term
from synth.analyst.measured import Measured, half_width, limited, product
from synth.analyst.ratios import ratio_of
from synth.core.numbers import TIMES

Conditions = Sequence[Condition]


def records(conditions: Conditions) -> str:
    """Return in words which records satisfy the conditions."""
    return "records where " + " and ".join(c.words for c in conditions) if conditions else "all records"


def answered(
    question: str,
    solution: Solution,
    estimate: float,
    spans: Sequence[Span],
    sds: tuple[float, float],
    level: float,
    *,
    form: Form = Form.COUNT,
    bins: float = 0.0,
    reason: str = "",
) -> Answer:
    """Return an answer with intervals for the records and the population.

    `sds` are the standard deviations of the noise and of sampling.
    """
    rests_on = dict[str, float]()
    for fact, share in solution.weights.items():
        rests_on[fact.name] = rests_on.get(fact.name, 0.0) + share
    return Answer(
        status=Status.INTERVAL,
        question=question,
        form=form,
        estimate=estimate,
        interval=spans[0],
        population=spans[1],
        noise=sds[0],
        sampling=sds[1],
        bins=bins,
        level=level,
        reason=reason,
        rests_on=dict(sorted(rests_on.items(), key=lambda item: -item[1])),
    )


def refused(
    measured: Measured, question: str, columns: Iterable[str], level: float, form: Form = Form.COUNT
) -> Answer:
    """Return a refusal that states what to measure next time."""
    reason = advice(measured, columns)
    return Answer(status=Status.REFUSED, question=question, form=form, level=level, reason=reason)


def advice(measured: Measured, columns: Iterable[str]) -> str:
    """Return what is missing for a question about some columns, and what to measure next time."""
    names = measured.domain.clique(columns)
    table = TIMES.join(names) or "all records"
    if any(set(names) <= set(fact.clique) for fact in measured.facts):
        return f"The measurements of {table} are too coarse or too noisy for it. A larger budget would help."
    if len(names) > 2:
        return f"No measurement has all of {table}. Ask about fewer columns."
    return f"No measurement has {table}. Give these columns a high priority in the next release."


def count_of(measured: Measured, conditions: Conditions, level: float) -> Answer:
    """Return the number of records that satisfy all conditions, or a bound."""
    question = records(conditions)
    exact = all(c.is_exact for c in conditions)
    solution = measured.solve(product(conditions)) if exact else None
    if solution is not None:
        count = max(0.0, solution.estimate)
        sampling = count * max(0.0, 1 - count / rows_of(measured)) * measured.rows_of_unit
        spans = []
        for extra in (0.0, sampling):
            half = half_width(solution, level, sampling=extra)
            spans.append(limited(solution.estimate - half, solution.estimate + half, half))
        sds = sqrt(solution.variance), sqrt(sampling)
        return answered(question, solution, solution.estimate, spans, sds, level)
    columns = [c.column for c in conditions]
    bound = bound_of(measured, tuple(conditions), level)
    if bound is None:
        return refused(measured, question, columns, level)
    reason = advice(measured, columns) if exact else "A condition cuts through a bin of the measurements."
    return Answer(status=Status.BOUND, question=question, interval=bound, level=level, reason=reason)


def share_of(measured: Measured, conditions: Conditions, base: Conditions, level: float) -> Answer:
    """Return the share of the records of `base` that also satisfy the conditions, or a bound."""
    question = f"share of {records(conditions)}" + (f" among {records(base)}" if base else "")
    both, columns = joined(conditions, base), [c.column for c in (*conditions, *base)]
    if all(c.is_exact for c in both):
        system = measured.system(columns)
        ratio = ratio_of(system, product(both), product(base), level=level, sampling=measured.rows_of_unit)
        if ratio is not None:
            spans = [(max(0.0, low), min(1.0, high)) for low, high in (ratio.interval, ratio.population)]
            sds = ratio.noise, ratio.sampling
            return answered(question, ratio.solution, ratio.estimate, spans, sds, level, form=Form.SHARE)
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
    """Return the count of `one` less the count of `other`."""
    question = f"difference between {records(one)} and {records(other)}"
    columns = [c.column for c in (*one, *other)] or list(measured.domain.names[:1])
    first = columns[0]
    unit = {first: np.ones(measured.domain.size([first]))}
    if not all(c.is_exact for c in (*one, *other)):
        return refused(measured, question, columns, level)
    plus, minus = times(product(one), unit), times(product(other), unit)
    shared = times(plus, minus)
    system = measured.system(columns)
    solution = system.solve([plus, {**minus, first: -minus[first]}])
    squares = system.solve([plus, minus, {**shared, first: -2.0 * shared[first]}])
    if solution is None or squares is None:
        return refused(measured, question, columns, level)
    spread = max(0.0, squares.estimate - solution.estimate**2 / rows_of(measured)) * measured.rows_of_unit
    halves = [half_width(solution, level, sampling=extra) for extra in (0.0, spread)]
    spans = [(solution.estimate - half, solution.estimate + half) for half in halves]
    return answered(
        question, solution, solution.estimate, spans, (sqrt(solution.variance), sqrt(spread)), level
    )


def rows_of(measured: Measured) -> float:
    """Return the estimated number of rows, at least one."""
    total = measured.solve({})
    return 1.0 if total is None else max(1.0, total.estimate)


def times(one: Term, other: Term) -> Term:
    """Return the product of two terms."""
    return {**one, **{name: one[name] * v if name in one else v for name, v in other.items()}}


def joined(conditions: Conditions, base: Conditions) -> list[Condition]:
    """Return the conditions that records of both satisfy, one per column."""
    found = {c.column: c for c in base}
    for c in conditions:
        found[c.column] = c if c.column not in found else c.also(found[c.column])
    return list(found.values())
