"""How far each marginal of the released table may be from the truth, by noisy answers only (AIM, sec. 5).

A bound covers the noise added for privacy, not the sampling of a survey, and it holds for any released table:
model, rounding and repair included. It compares counts: ||M_r(D) - M_r(Dhat)||_1, where the released rows are
weighted by total / rows if there are more or fewer of them than the (noisy or public) total. So it also
covers the difference between that total and the true number of rows.

*measured*: r lies inside a measured clique (AIM, Theorem 2 and Corollary 3, with other constants).
  An unbiased centre c with radius u, Pr[||M_r(D) - c||_1 > u] <= beta, gives ||c - M_r(Dhat)||_1 + u by the
  triangle inequality. Better, because true counts are not negative: where c < 0 the truth is at least |c|
  away, so ||M_r(D) - c+||_1 <= u - ||c-||_1 (c+ and c- the positive and negative parts), and

      ||M_r(D) - M_r(Dhat)||_1 <= ||c+ - M_r(Dhat)||_1 + u - ||c-||_1,

  up to half the paper's bound where noise fills empty cells. Centre and radius: the inverse-variance average,
  whose cells are independent, with the folded-normal Chernoff radius; on tables of at most ten cells least
  squares with the radius by signs, where that radius is smaller (it depends on the questions asked, not on
  their answers). See `check.gls` and `check.concentration` for proofs on lattice noise.
*inferred*: r was a candidate in a selection (AIM, Theorem 4, Corollary 5). Of the LAST such round t, a rule
  fixed beforehand, take the winner s with its later measurement y, the score's own estimates b, weights w and
  penalties P. The exponential mechanism's winner is within (swing / eps)(ln|C| + ln(1/beta')) of the best, so

      ||M_r(D) - b_r||_1 <= P_r + (w_s (E - P_s) + (swing / eps)(ln|C| + ln(1/beta'))) / w_r,

  where E bounds ||M_s(D) - b_s||_1 through y (`shift_bound`; b_s was fixed before y was drawn, which is what
  allows the folded-normal step). Each part gets beta' = beta / 2. The released table enters by the triangle
  inequality. All inferred bounds of one round hold together. b is the fixed-point number the score used.
*none*: neither; nothing is claimed.

Replaced units and several rows per unit are in sigma and swing already. Structural zeros are cells like any
other here: the truth may break a rule, and the bound must survive that. Each bound holds with probability
1 - beta on its own; for m of them together ask for beta / m. As in the paper, which cliques are measured
depends on earlier noise and this selection effect is not in beta; the coverage tests run the real adaptive
mechanism to show that it does not matter at these levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from synth.check.concentration import (
    LARGEST_SIGN_TABLE,
    l1_radius,
    lipschitz_radius,
    shift_bound,
    sign_radius,
)
from synth.check.gls import Pool
from synth.domain import Clique, Domain
from synth.measure.score import SCALE, L1Gap
from synth.measure.source import Choice
from synth.measurement import Measurement
from synth.model import Projectable


class Support(StrEnum):
    """What a bound rests on."""

    MEASURED = "measured"
    INFERRED = "inferred"
    NONE = "none"


class Constants(StrEnum):
    """PROVED: valid for discrete Gaussian noise as drawn. CONTINUOUS: least squares everywhere with the
    Lipschitz constants of continuous noise; narrower on wide tables with a short axis, not proved for it."""

    PROVED = "proved"
    CONTINUOUS = "continuous"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper limit for one marginal's error at confidence 1 - beta.

    `l1_counts` bounds the L1 distance in counts; `tvd` is half of it over the total, at most 1; both None if
    nothing is claimed. `step` is the step of the selection an inferred bound rests on, else None.
    """

    clique: Clique
    kind: Support
    l1_counts: float | None
    tvd: float | None
    beta: float
    step: int | None = None


def bounds(
    *,
    measurements: Sequence[Measurement],
    choices: Sequence[Choice],
    domain: Domain,
    candidates: Iterable[Clique],
    synthetic: Projectable,
    total: float,
    beta: float = 0.05,
    constants: Constants = Constants.PROVED,
) -> tuple[Bound, ...]:
    """One bound per candidate, in their order.

    `synthetic` is the released table (its own counts, not the model); `total` the number of records it stands
    for. Errors: ValueError for beta outside (0, 1). Post-processing: nothing here reads a row of the truth.
    """
    if not 0.0 < beta < 1.0:
        raise ValueError("beta lies between 0 and 1")
    cliques = list(candidates)
    pool = Pool(domain, measurements)
    released = _Released(synthetic, total)
    supported = [r for r in cliques if pool.supports(r)]
    found = dict(zip(supported, _measured(pool, domain, supported, released, beta, constants), strict=True))
    for round_ in _last_rounds(choices, measurements, [r for r in cliques if r not in found]):
        found |= round_.bounds(released, beta)
    return tuple(found.get(r) or _nothing(r, beta) for r in cliques)


def _nothing(clique: Clique, beta: float) -> Bound:
    return Bound(clique=clique, kind=Support.NONE, l1_counts=None, tvd=None, beta=beta)


class _Released:
    """The released table's counts, weighted to the total."""

    def __init__(self, synthetic: Projectable, total: float) -> None:
        self._synthetic, self.total = synthetic, max(float(total), 1.0)

    def counts(self, clique: Clique) -> NDArray[np.float64]:
        table = self._synthetic.project(clique)
        rows = float(table.sum())
        return table * (self.total / rows) if rows > 0 else table

    def bound(self, clique: Clique, kind: Support, l1: float, beta: float, step: int | None) -> Bound:
        l1 = max(l1, 0.0)
        tvd = min(1.0, 0.5 * l1 / self.total)
        return Bound(clique=clique, kind=kind, l1_counts=l1, tvd=tvd, beta=beta, step=step)


def _measured(
    pool: Pool,
    domain: Domain,
    cliques: Sequence[Clique],
    released: _Released,
    beta: float,
    constants: Constants,
) -> list[Bound]:
    averages = [pool.average(r) for r in cliques]
    cells = np.array([domain.size(r) for r in cliques], dtype=np.int64)
    radii = l1_radius(cells, np.array([a.variance for a in averages]), beta=beta)
    found = []
    for clique, average, radius in zip(cliques, averages, radii, strict=True):
        centre, reach = average.counts, float(radius)
        better = _least_squares_radius(pool, domain, clique, beta, constants)
        if better is not None and better < reach:
            centre, reach = pool.estimate(clique), better
        below = float(np.minimum(centre, 0.0).sum())
        l1 = float(np.abs(np.maximum(centre, 0.0) - released.counts(clique)).sum()) + max(reach + below, 0.0)
        found.append(released.bound(clique, Support.MEASURED, l1, beta, None))
    return found


def _least_squares_radius(
    pool: Pool, domain: Domain, clique: Clique, beta: float, constants: Constants
) -> float | None:
    cells = domain.size(clique)
    if cells <= LARGEST_SIGN_TABLE:
        return sign_radius(pool.covariance(clique), beta=beta)
    if constants is Constants.CONTINUOUS:
        eigenvalue = pool.largest_eigenvalue(clique)
        return lipschitz_radius(cells, pool.cell_variance(clique), eigenvalue, beta=beta)
    return None


@dataclass(frozen=True, eq=False)
class _Round:
    """A selection whose winner was measured right after, and the candidates it is the last round of."""

    choice: Choice
    score: L1Gap
    measured: Measurement
    cliques: tuple[Clique, ...]

    def bounds(self, released: _Released, beta: float) -> dict[Clique, Bound]:
        score, winner = self.score, self.choice.index
        position = {r: i for i, r in enumerate(score.cliques)}
        slack = self.choice.swing / SCALE / self.choice.epsilon
        slack *= math.log(len(score.cliques)) + math.log(2.0 / beta)
        excess = score.weights[winner] * (self._winner_error(beta / 2.0) - _penalty(score, winner)) + slack
        found = {}
        for r in self.cliques:
            i = position[r]
            estimate = _estimate(score, i)
            distance = max(_penalty(score, i) + excess / score.weights[i], 0.0)
            l1 = distance + float(np.abs(released.counts(r) - estimate).sum())
            found[r] = released.bound(r, Support.INFERRED, l1, beta, self.choice.step)
        return found

    def _winner_error(self, beta: float) -> float:
        """E with Pr[||M_s(D) - b_s||_1 > E] <= beta."""
        gap = float(np.abs(self.measured.counts - _estimate(self.score, self.choice.index)).sum())
        return shift_bound(gap, cells=self.measured.counts.size, sigma=self.measured.sigma, beta=beta)


def _estimate(score: L1Gap, index: int) -> NDArray[np.float64]:
    """The estimate as the score used it: rounded to fixed point."""
    return np.asarray(np.rint(score.estimates[index] * SCALE) / SCALE)


def _penalty(score: L1Gap, index: int) -> float:
    return round(score.penalties[index] * SCALE) / SCALE


def _last_rounds(
    choices: Sequence[Choice], measurements: Sequence[Measurement], cliques: Sequence[Clique]
) -> list[_Round]:
    """For each clique the last selection that had it as a candidate, grouped by selection."""
    waiting, found = set(cliques), []
    for choice in sorted(choices, key=lambda c: c.step, reverse=True):
        score, measured = choice.score, _measured_after(choice, measurements)
        if not isinstance(score, L1Gap) or measured is None or measured.groups:
            continue
        mine = tuple(r for r, w in zip(score.cliques, score.weights, strict=True) if w > 0 and r in waiting)
        if mine:
            waiting.difference_update(mine)
            found.append(_Round(choice, score, measured, mine))
    return found


def _measured_after(choice: Choice, measurements: Sequence[Measurement]) -> Measurement | None:
    """The winner's measurement that followed the selection, whose noise the estimates cannot know."""
    after = [
        m
        for m in measurements
        if m.clique == choice.clique and m.part == choice.part and m.step > choice.step
    ]
    return min(after, key=lambda m: m.step, default=None)
