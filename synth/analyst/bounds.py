"""Compute bounds for counts that are not estimable, from measurements of parts of the conditions.

For a set S of conditions, let D(S) be the number of records that satisfy all of them, and let N be the total
number of records. If parts P_1, ..., P_m together contain all conditions, then

    sum_i D(P_i) - (m - 1) N  <=  D(all)  <=  min_i D(P_i)          (Frechet 1935).

The accuracy check measured the TVD of marginals of the synthetic rows. So the share of records that satisfy
conditions on such a marginal differs from the share of synthetic rows by at most the upper limit of the TVD.
The error probability is divided by the number of intervals that could be used, which is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import inf

from synth.analyst.conditions import Condition
from synth.analyst.measured import Measured, product
from synth.estimates.estimated import Span, estimated
from synth.estimates.least_squares import Solution, merged

Part = tuple[Condition, ...]


def bound_of(measured: Measured, conditions: Part, level: float) -> Span | None:
    """Return an interval for the count at this confidence, or None if there is no information about it.

    Units: counts.
    """
    known = {part: ends for part in _parts(conditions) if (ends := _ends(measured, part)) is not None}
    judged = measured.judged.get(tuple(c.column for c in conditions))
    total = measured.solve({})
    if total is None or (not known and judged is None):
        return None
    each = 1 - (1 - level) / (len(known) + 1 + (judged is not None))
    few, many = possible(total, each)
    lows = {part: possible(inner, each)[0] for part, (inner, _) in known.items()}
    highs = [possible(outer, each)[1] for _, outer in known.values()]
    low = max([0.0, *(_joint(lows, part, conditions, many) for part in lows)])
    high = min([many, *highs])
    if judged is not None:
        apart = judged.upper(1 - (1 - each) / 2)
        low = max(low, few * max(0.0, _share(measured, conditions, outer=False) - apart))
        high = min(high, many * min(1.0, _share(measured, conditions, outer=True) + apart))
    return min(low, high), max(low, high)


def _parts(conditions: Part) -> list[Part]:
    """Return the parts of the conditions: single conditions, pairs, and all conditions."""
    sizes = sorted({1, min(2, len(conditions)), len(conditions)})
    return [part for size in sizes for part in combinations(conditions, size)]


def possible(solution: Solution, level: float) -> Span:
    """Return the interval of a count, without negative numbers."""
    return estimated(solution, level).within(0.0, inf).interval


def _ends(measured: Measured, part: Part) -> tuple[Solution, Solution] | None:
    """Return an estimate of at most the count of a part, and one of at least this count.

    The first counts the groups of codes inside the part, the second the groups that overlap it.
    """
    system = measured.system(c.column for c in part)
    for groups in system.resolutions:
        inner, outer = (
            system.solve([{name: merged(groups[name], vector, how) for name, vector in term.items()}])
            for term, how in ((product(part), min), (product(part, outer=True), max))
        )
        if inner is not None and outer is not None:
            return inner, outer
    return None


def _joint(lows: dict[Part, float], part: Part, conditions: Part, many: float) -> float:
    """Return the lower bound from a part and the other single conditions."""
    others = [(c,) for c in conditions if c not in part]
    if any(other not in lows for other in others):
        return 0.0
    return lows[part] + sum(lows[other] for other in others) - len(others) * many


def _share(measured: Measured, conditions: Sequence[Condition], *, outer: bool) -> float:
    """Return the share of synthetic rows that satisfy the conditions."""
    table = measured.released
    counts = table.project(tuple(c.column for c in conditions))
    for c in reversed(conditions):
        counts = counts @ (c.outer if outer else c.inner).astype(float)
    return float(counts) / max(table.rows, 1)
