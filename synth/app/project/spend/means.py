"""Forecast the precision of means and regressions from declarations and a rough number of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from synth.core.accounting import UNITS_PER_RHO
from synth.core.errors import Mistake
from synth.core.measurements.formula import Formula
from synth.core.measurements.logistic import CHANCE, OF_INFORMATION, OF_SCORE, SPREAD, STEP, Score
from synth.core.measurements.moments import Block, Term
from synth.core.schema import Schema
from synth.private.queries import LogisticScore, Moments
from synth.private.terms import Terms
from synth.release.plan import sums_of
from synth.rules import Rules

Z95 = 1.959964
VARIANCE = 0.07
"""Assumed variance of numbers between -1 and 1: a standard deviation of 13% of the declared range."""

WIDER = 3.0
"""Factor by which the assumed variances are multiplied. Answers count as hidden by noise only if they would
be hidden even with these larger variances.
"""

CLEAR, CLEAR_LOGISTIC = 4.0, 2.0
"""Minimum ratio of the sums and of the information (`estimates.logistic`) to the standard deviation of the
noise. At this ratio, a linear regression on columns with about the assumed variances was answered in 50 to
100% of the draws of noise. On columns that use a small part of their range, it is refused more often.
"""

INFORMATION = 0.1
"""Assumed mean of p (1 - p), as for an outcome with probability 0.2 that clearly depends on the other
columns.
"""


@dataclass(frozen=True, kw_only=True)
class Precision:
    """The effect of privacy noise alone on the answers for a formula, as half-widths of 95% intervals by
    question.

    `is_clear` is False if the noise probably hides most of the answers.
    """

    formula: str
    sums: int
    halves: dict[str, float]
    is_clear: bool


def trouble(schema: Schema, rules: Rules, formulas: Sequence[str]) -> str | None:
    """Return a sentence on why formulas cannot be measured, or None if they can."""
    try:
        sums_of(schema, rules, formulas)
    except Mistake as mistake:
        return str(mistake)
    return None


def precision_of(
    schema: Schema, rules: Rules, formulas: Sequence[str], *, rho: float, rows: int
) -> list[Precision]:
    """Return the precision of each formula if all formulas share `rho` equally. Raises: as in `sums_of`."""
    blocks, axes = sums_of(schema, rules, formulas)
    sizes, terms = {axis.name: axis.size for axis in axes}, Terms.of(schema)
    found = []
    for formula, block in zip(formulas, blocks, strict=True):
        units = max(1, int(rho / len(formulas) * UNITS_PER_RHO))
        least = min([4.0, *(min(1.0, WIDER * _variance(term)) for term in block.terms[:-1])]) / 4
        if Formula.of(formula).is_logistic:
            score = Score(block, (0, *[STEP] * (len(block.terms) - 1)))
            sigma = math.sqrt(LogisticScore(score, ()).variance(units, terms))
            residual, spread = score.largest
            known, many = INFORMATION * rows, len(score.entries)
            halves = _log_odds(block, Z95 * sigma * OF_SCORE * residual / CHANCE / known)
            clear = known * least >= CLEAR_LOGISTIC * sigma * OF_INFORMATION * spread / SPREAD
        else:
            sigma, many = math.sqrt(Moments(block, ()).variance(units, terms)), len(block.entries)
            in_group = rows / math.prod(sizes[name] for name in block.by)
            halves = _halves(block, Z95 * sigma / in_group)
            clear = in_group * least >= CLEAR * sigma
        found.append(Precision(formula=formula, sums=many, halves=halves, is_clear=bool(clear)))
    return found


def _halves(block: Block, reach: float) -> dict[str, float]:
    *regressors, response = block.terms
    if not regressors:
        return {f"mean {response.name}": response.half * reach}
    return {f"slope of {t.name}": response.half / t.half * reach / _variance(t) for t in regressors}


def _log_odds(block: Block, reach: float) -> dict[str, float]:
    return {f"log odds on {t.name}": reach / _variance(t) / t.half for t in block.terms[:-1]}


def _variance(term: Term) -> float:
    """Return the assumed variance of a term. Each value is assumed to occur in half as many rows as if all
    values were equally frequent.
    """
    share = 1 / (2 * term.cells)
    return VARIANCE if term.code is None else 4 * share * (1 - share)
