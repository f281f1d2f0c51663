"""How far each marginal of the released table may be from the truth, by noisy measurements only (AIM, sec.
5).

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
  Where scores were the largest gap of any cell (`LargestGap`), S_s <= E as no cell is further off than all of
  them, and ||M_r(D) - b_r||_1 <= n_r (E + slack) over the n_r cells of r.
Or r lies inside a candidate family of a network, a child with parents P, chosen by the distance S_f =
  ||M_f(D) - p M_P(D)||_1 from a public p of the child (PrivBayes). Let E_s be the bound of the winner s as
  measured: S_s <= 2 E_s + ||M_s(Dhat) - p M_P(Dhat)||_1, since summing and spreading by p make no distance
  larger. The winner is within the same slack of the best; S_r <= S_f for r inside f with the child in it, for
  the same reason; and ||M_r(D) - M_r(Dhat)||_1 <= S_r + E_P + ||p M_P(Dhat) - M_r(Dhat)||_1 with E_P the
  bound of the parents of r, which must have been measured. Each of the three events gets beta / 3; of several
  families the first is taken.
Or r was scored with noise (`check.rounds.by_scores`), of such batches the last one. Let v be the noisy score
  and t = sigma sqrt(2 ln(1/beta)): discrete Gaussian noise is below -t with probability at most beta.
  L1 gaps: w (||M_r(D) - b_r||_1 - P) <= v + t, so ||M_r(D) - b_r||_1 <= P + (v + t) / w, and the released
    table enters by the triangle inequality again.
  InDif: ||M_ab(D) - M_a M_b^T / n||_1 <= v + t, rounding aside, where M_a, M_b and n are secret. Let E_a and
    E_b bound how far the released columns M^_a and M^_b are from the truth, as *measured*, and N be the total
    released. With shares p = M_a / n and q = M_b / n the product n p q^T differs from N p^ q^^T by at most
    ||(n p - N p^) q^T||_1 + ||N p^ (q - q^)^T||_1 <= E_a + N ||q - q^||_1, and N ||q - q^||_1 <=
    |N - n| ||q||_1 + ||n q - N q^||_1 <= E_a + E_b; or with a and b in each other's place. Hence

      ||M_ab(D) - M_ab(Dhat)||_1 <= v + t + E_a + E_b + min(E_a, E_b) + ||M^_a M^_b^T / N - M_ab(Dhat)||_1,

    each of the three events with beta / 3.
Or an earlier table of the same release has a bound B for r (`Earlier`): then any other one, made from the
  same answers, has B + ||M_r(earlier) - M_r(Dhat)||_1. So a table that is made again keeps inferred bounds.
*none*: neither; nothing is claimed.

Marginals asked about in coarser codes have all this in those codes (`coarse_kind`, `coarse_l1`); what follows
for the domain's own codes is in `check.views`. Where that says no more than that all rows may be wrong, the
bound itself is *none*. Codes that put all values of a column into one group say nothing of its relations: a
table in them is no measurement of a pair, and nothing is claimed by it.

Replaced units and several rows per unit are in sigma and swing already. Structural zeros are cells like any
other here: the truth may break a rule, and the bound must survive that. Each bound holds with probability
1 - beta on its own; for m of them together ask for beta / m. As in the paper, which cliques are measured
depends on earlier noise and this selection effect is not in beta; the coverage tests run the real adaptive
mechanism to show that it does not matter at these levels.
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
from synth.release.verdict.figures import Verdict

ROUNDING = 1e-5
"""Stored bounds have six digits. This relative margin covers the rounding."""


class Support(StrEnum):
    """The kind of information that a bound follows from."""

    MEASURED = "measured"
    INFERRED = "inferred"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper limit for the error of one marginal at confidence 1 - beta.

    `l1_counts` bounds the L1 distance in counts. `tvd` is half of it divided by the total, at most 1. Both
    are None if there is no bound. `step` is the step of the answer that an inferred bound follows from, else
    None. The `coarse` fields bound the table summed to the groups in which it was measured, if there are any.
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
    """A table made from the same measurements, and its bounds."""

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
    """Return one bound per candidate, in their order.

    `synthetic` is the released table (its own counts, not those of the model). The source of a bound is the
    first of: a measurement in the codes of the domain, one in coarser codes, a selection, a batch of scores,
    an earlier table. Raises: ValueError for beta outside (0, 1). This is post-processing: nothing here reads
    the private table.
    """
    if not 0.0 < beta < 1.0:
        raise ValueError("beta lies between 0 and 1")
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


def judged(bound: Bound, verdict: Verdict, *, total: float, beta: float) -> Bound:
    """Return the smaller of a bound at beta / 2 and the verdict's limit at beta / 2: it holds at 1 - beta."""
    error = verdict.of(bound.clique)
    limit = 1.0 if error is None else error.upper(beta / 2)
    if error is None or (bound.tvd is not None and bound.tvd <= limit):
        return replace(bound, beta=beta)
    kind = Support.INFERRED if bound.kind is Support.NONE else bound.kind
    return replace(bound, kind=kind, l1_counts=2 * limit * total, tvd=limit, beta=beta)


def withheld(claims: Iterable[Bound], columns: Collection[str]) -> tuple[Bound, ...]:
    """Return the bounds, but none for tables with one of these columns.

    A bound covers the records as they were read. If records were lost in a column, it does not cover the
    file.
    """
    return tuple(nothing(b.clique, b.beta) if {*b.clique} & {*columns} else b for b in claims)


def nothing(clique: Clique, beta: float) -> Bound:
    """Return a bound that states nothing about a clique."""
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
    """Return the bounds of the earlier table, with at least this confidence, extended to this table."""
    before, moved = Released(earlier.synthetic, view.total), {}
    claims = {b.clique: b for b in earlier.bounds if b.l1_counts is not None and b.beta <= beta}
    for r in cliques:
        if r in claims:
            l1 = (claims[r].l1_counts or 0.0) * (1 + ROUNDING)
            l1 += float(np.abs(before.counts(r) - view.counts(r)).sum())
            moved[r] = _bound(view, r, Support.INFERRED, l1, beta, claims[r].step)
    return moved
