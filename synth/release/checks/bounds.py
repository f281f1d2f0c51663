"""Bound the error of each marginal of the released table from noisy measurements only (AIM, sec. 5).

A bound covers the noise added for privacy, but not the sampling error of a survey. It holds for any released
table, so it also covers errors of the model, rounding and repair. A bound limits the L1 distance in counts,
||M_r(D) - M_r(Dhat)||_1. If the number of released rows differs from the (noisy or public) total, each row
has the weight total / rows. The bound then also covers the difference between that total and the true number
of rows.

A bound has one of the following sources.

*measured*: the clique r is part of a measured clique (AIM, Theorem 2 and Corollary 3, with other constants).
  An unbiased centre c with radius u, Pr[||M_r(D) - c||_1 > u] <= beta, gives ||c - M_r(Dhat)||_1 + u by the
  triangle inequality. A smaller bound follows because true counts are not negative: where c < 0, the true
  count is at least |c| away from c. So ||M_r(D) - c+||_1 <= u - ||c-||_1, where c+ and c- are the positive
  and negative parts of c, and

      ||M_r(D) - M_r(Dhat)||_1 <= ||c+ - M_r(Dhat)||_1 + u - ||c-||_1.

  If noise fills empty cells, this can be half of the paper's bound. The centre is the inverse-variance
  average, whose cells are independent, and the radius is the Chernoff radius of folded normals. For tables of
  at most ten cells, the least-squares estimate is used with the radius from sign patterns if that radius is
  smaller.
  This choice depends only on the queries, not on their noisy results. The modules `gls` and `concentration`
  have the proofs for lattice noise.
*inferred* from a selection: r was a candidate in a selection (AIM, Theorem 4, Corollary 5). The last such
round t is used; this rule is fixed before the run. Let s be the selected clique with its later measurement y,
  and let b, w and P be the estimates, weights and penalties of the score. The score of the clique that the
  exponential mechanism selects is within (swing / eps)(ln|C| + ln(1/beta')) of the best score, so

      ||M_r(D) - b_r||_1 <= P_r + (w_s (E - P_s) + (swing / eps)(ln|C| + ln(1/beta'))) / w_r,

  where E is an upper bound of ||M_s(D) - b_s||_1 that follows from y (`shift_bound`). The folded-normal step
  is valid because b_s was fixed before y was drawn. Each of the two parts uses beta' = beta / 2. The triangle
  inequality extends the bound to the released table. All bounds inferred from one round hold together. b is
  the fixed-point number that the score used. If the score was the largest difference in any cell
  (`LargestGap`), S_s <= E, because the difference in one cell is at most the sum over all cells. Then
  ||M_r(D) - b_r||_1 <= n_r (E + slack), where n_r is the number of cells of r.
*inferred* from a network: r is inside a candidate family of a network, a child with parents P. The family was
chosen by the distance S_f = ||M_f(D) - p M_P(D)||_1 from a public distribution p of the child
  (PrivBayes). Let E_s be the *measured* bound of the selected family s. Then
  S_s <= 2 E_s + ||M_s(Dhat) - p M_P(Dhat)||_1, because neither summing nor multiplying by p increases a
  distance. The score of s is within the same slack of the best. For the same reason S_r <= S_f if r is inside
  f and contains the child. So ||M_r(D) - M_r(Dhat)||_1 <= S_r + E_P + ||p M_P(Dhat) - M_r(Dhat)||_1, where
  E_P is the bound of the parents of r, which must have been measured. Each of the three events uses beta / 3.
  If there are several such families, the first one is used.
*inferred* from noisy scores: r was scored with noise (`rounds.by_scores`). The last such batch is used.
  Let v be the noisy score and t = sigma sqrt(2 ln(1/beta)). Discrete Gaussian noise is below -t with
  probability at most beta.
  For scores that are L1 distances: w (||M_r(D) - b_r||_1 - P) <= v + t, so
    ||M_r(D) - b_r||_1 <= P + (v + t) / w, and the released table is included by the triangle inequality.
  For InDif scores: ||M_ab(D) - M_a M_b^T / n||_1 <= v + t except for rounding, where M_a, M_b and n are
    secret. Let E_a and E_b bound the distance of the released columns M^_a and M^_b from the true ones, as in
    *measured*, and let N be the total released. With the proportions p = M_a / n and q = M_b / n, the product
    n p q^T differs from N p^ q^^T by at most ||(n p - N p^) q^T||_1 + ||N p^ (q - q^)^T||_1 <=
    E_a + N ||q - q^||_1, and N ||q - q^||_1 <= |N - n| ||q||_1 + ||n q - N q^||_1 <= E_a + E_b. The same
    holds with a and b exchanged. Hence

      ||M_ab(D) - M_ab(Dhat)||_1 <= v + t + E_a + E_b + min(E_a, E_b) + ||M^_a M^_b^T / N - M_ab(Dhat)||_1,

    where each of the three events uses beta / 3.
*inferred* from an earlier table: an earlier table of the same release has a bound B for r (`Earlier`). Then
every other table made from the same measurements has the bound B + ||M_r(earlier) - M_r(Dhat)||_1. A table
that is generated again therefore also has inferred bounds. *none*: there is no bound, because none of these
sources applies.

For marginals measured in coarser codes, the bound is stated in those codes (`coarse_kind`, `coarse_l1`).
The module `views` derives the bound in the codes of the domain. If this bound is so large that all rows could
be wrong, it is not stated and the source is *none*. If all values of a column are in one group, a table in
these codes contains no information about the relations of this column, so no bound is derived from it.

Sigma and swing already account for replaced units and for several rows per unit. Structural zeros are treated
like all other cells, because the bound must also hold if the private data break a rule. Each single bound
holds with probability 1 - beta. For m bounds that hold together, use beta / m. As in the paper, the choice of
measured cliques depends on earlier noise, and beta does not include this selection effect. The coverage tests
run the real adaptive mechanism and show that the effect does not matter at these levels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.model import Projectable
from synth.release.checks.rounds import by_scores, by_selection
from synth.release.checks.views import Released, View, Views
from synth.release.verdict.figures import Figure

ROUNDING = 1e-5
"""Relative margin for the rounding of stored bounds to six digits."""

BOUND_PART = 0.2
"""Share of beta for the bound of a table if the accuracy check measured its error. It is fixed in advance.

The limit from the accuracy check, which is usually smaller, uses the rest of beta.
"""


class Support(StrEnum):
    """The source of a bound."""

    MEASURED = "measured"
    INFERRED = "inferred"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper limit of the error of one marginal at confidence 1 - beta.

    `l1_counts` bounds the L1 distance in counts. `tvd` is min(1, l1_counts / (2 total)). Both are None if
    there is no bound. `step` is the step of the measurement from which an inferred bound follows, and None
    for other bounds. If the table was measured in groups of codes, the `coarse` fields are the bound of the
    table summed over these groups.
    """

    clique: Clique
    kind: Support
    l1_counts: float | None
    tvd: float | None
    beta: float
    step: int | None = None
    coarse_kind: Support | None = None
    coarse_l1: float | None = None
    coarse_tvd: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Earlier:
    """An earlier table made from the same measurements, with its bounds."""

    synthetic: Projectable
    bounds: Sequence[Bound]


def bounds(
    evidence: Evidence,
    *,
    candidates: Iterable[Clique],
    synthetic: Projectable,
    beta: float = 0.05,
    earlier: Earlier | None = None,
) -> tuple[Bound, ...]:
    """Return one bound per candidate, in the order of the candidates.

    `synthetic` has the counts of the released table, not the counts of the model. The source of a bound is
    the first available of the following: a measurement in the codes of the domain, a measurement in coarser
    codes, a selection, a batch of scores, an earlier table. The function is post-processing: it does not read
    the private table. Raises: ValueError for beta outside (0, 1).
    """
    if not 0.0 < beta < 1.0:
        raise ValueError("beta must be between 0 and 1")
    cliques = list(candidates)
    released = Released(synthetic, evidence.total)
    views = Views(evidence.domain, evidence.measurements, released)
    claimed: dict[Clique, Bound] = {}
    for view in views.all:
        mine = [r for r in cliques if r not in claimed and view.pool.supports(r) and view.tells(r)]
        for r, l1 in zip(mine, view.measured(mine, beta=beta), strict=True):
            claimed[r] = _bound(view, r, Support.MEASURED, l1, beta, None)
    waiting = [r for r in cliques if r not in claimed]
    inferred = by_selection(views, evidence.choices, evidence.measurements, waiting, beta=beta)
    inferred |= by_scores(views, evidence.scores, [r for r in waiting if r not in inferred], beta=beta)
    for r, claim in inferred.items():
        claimed[r] = _bound(claim.view, r, Support.INFERRED, claim.l1, beta, claim.step)
    if earlier is not None:
        claimed |= _handed_on(earlier, views.fine, [r for r in waiting if r not in inferred], beta)
    return tuple(claimed.get(r) or nothing(r, beta) for r in cliques)


def judged(bound: Bound, error: Figure | None, *, total: float, beta: float) -> Bound:
    """Return the smaller of a bound (at `BOUND_PART` of beta) and the limit from the accuracy check (at the
    rest).

    The result holds with confidence 1 - beta.
    """
    limit = 1.0 if error is None else error.upper((1 - BOUND_PART) * beta)
    if error is None or (bound.tvd is not None and bound.tvd <= limit):
        return replace(bound, beta=beta)
    kind = Support.INFERRED if bound.kind is Support.NONE else bound.kind
    return replace(bound, kind=kind, l1_counts=2 * limit * total, tvd=limit, beta=beta)


def withheld(claims: Iterable[Bound], columns: Collection[str]) -> tuple[Bound, ...]:
    """Return the bounds after removing the bound of every table that contains one of these columns.

    A bound covers the records as they were read. If records were lost in a column, the bound does not cover
    the file.
    """
    return tuple(nothing(b.clique, b.beta) if {*b.clique} & {*columns} else b for b in claims)


def nothing(clique: Clique, beta: float) -> Bound:
    """Return a `Bound` that states no bound for a clique."""
    return Bound(clique=clique, kind=Support.NONE, l1_counts=None, tvd=None, beta=beta)


def _bound(view: View, clique: Clique, kind: Support, l1: float, beta: float, step: int | None) -> Bound:
    fine = view.fine(clique, max(l1, 0.0))
    bound = Bound(
        clique=clique, kind=kind, l1_counts=fine, tvd=_share(fine, view.total), beta=beta, step=step
    )
    if not view.merges(clique):
        return bound
    if not view.tells(clique):
        return replace(nothing(clique, beta), step=step)
    coarse = {"coarse_kind": kind, "coarse_l1": max(l1, 0.0), "coarse_tvd": _share(l1, view.total)}
    if bound.tvd == 1.0:
        bound = replace(nothing(clique, beta), step=step)
    return replace(bound, **coarse)  # type: ignore[arg-type]


def _share(l1: float, total: float) -> float:
    return min(1.0, 0.5 * max(l1, 0.0) / total)


def _handed_on(earlier: Earlier, view: View, cliques: Sequence[Clique], beta: float) -> dict[Clique, Bound]:
    """Return bounds of this table that follow from bounds of the earlier table at a confidence of at least 1
    - beta.
    """
    before, moved = Released(earlier.synthetic, view.total), {}
    claims = {b.clique: b for b in earlier.bounds if b.l1_counts is not None and b.beta <= beta}
    for r in cliques:
        if r in claims:
            l1 = (claims[r].l1_counts or 0.0) * (1 + ROUNDING)
            l1 += float(np.abs(before.counts(r) - view.counts(r)).sum())
            moved[r] = _bound(view, r, Support.INFERRED, l1, beta, claims[r].step)
    return moved
