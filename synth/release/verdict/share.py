"""Compute the budget share of the accuracy check, and the resulting noise, from public facts.

The noise of a number with sensitivity L1 that is measured with rho has sigma = L1 / sqrt(2 rho). The error
(TVD) of a table of N rows is d / (2 N) for a distance of d counts. If the accuracy check has a share v of
rho, and m tables divide the part l of this share equally (`LIST_SHARES`), the standard deviation of one
error is

    sd = L1 sqrt(m / (2 v rho l)) / (2 N)

`usual_share` returns the smallest share between `USUAL` and `LARGEST` for which sd is at most
`WANTED`. The share is 0 if even the mean over all tables would have a standard deviation above `MOST_NOISE`
with the largest share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from synth.core.schema import Schema
from synth.private.terms import Terms
from synth.release.verdict.asking import LIST_SHARES, MOST_NOISE, MOST_TABLES, noise_factor, widest_judged

USUAL, LARGEST = 0.05, 0.10
"""Default share of the budget, and the largest share, which is used for small tables."""

WANTED = 0.01
"""Target for the standard deviation of the error of one pair of columns."""

_MEANS = 5
"""Maximum number of measured means: columns, pairs, triples, ranges, and predictions of a target."""


@dataclass(frozen=True, kw_only=True)
class Promise:
    """Standard deviations of the measured errors of one column, of one pair, and of a mean. None means that
    the error is not measured separately.
    """

    column: float | None
    pair: float | None
    mean: float


def usual_share(schema: Schema, *, rho: float, rows: int | None) -> float:
    """Return the share of a budget of `rho` for a table of about `rows` rows, or `USUAL` if the number is
    unknown.
    """
    if rows is None:
        return USUAL
    if promised(schema, rho=rho * LARGEST, rows=rows).mean > MOST_NOISE:
        return 0.0
    whole = noise_of(schema, rho, rows) * noise_factor(len(schema.modelled), 2)
    return min(max(USUAL, (whole / WANTED) ** 2), LARGEST)


def promised(schema: Schema, *, rho: float, rows: int, total_sd: float = 0.0) -> Promise:
    """Return the noise of an accuracy check with this rho for a table of `rows` rows.

    `total_sd` is the standard deviation of the measured number of rows, which is part of every error
    (`verdict.figures`).
    """
    columns, noise = len(schema.modelled), noise_of(schema, rho, rows)
    widest, pairs = widest_judged(columns, noise), math.comb(columns, 2)
    single, mean = math.inf, noise * math.sqrt(_MEANS / (1 - LIST_SHARES[widest]))
    if widest:
        single = noise * noise_factor(columns, widest)
    if widest == 2 and 0 < pairs <= MOST_TABLES - columns:
        mean = min(mean, single / math.sqrt(pairs))
    single, mean = (math.hypot(sd, total_sd / (2 * rows)) for sd in (single, mean))
    return Promise(
        column=single if widest else None, pair=single if widest == 2 and pairs else None, mean=mean
    )


def noise_of(schema: Schema, rho: float, rows: float) -> float:
    """Return the standard deviation of the error of one table measured with all of `rho`."""
    return Terms.of(schema).l1 / math.sqrt(2 * rho) / (2 * max(rows, 1))
