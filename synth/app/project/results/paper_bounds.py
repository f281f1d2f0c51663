"""The bounds of the MargNet paper beside ours, for an opened bundle (`release.checks.paper_bounds`).

Theorem 4 follows from the noisy tables of the bundle. Theorem 5 needs the scores of a selection, which no
bundle stores: the run computed it, and it is read from the checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.release.checks.checks import Checks
from synth.release.checks.paper_bounds import WARNING, measured_limits


@dataclass(frozen=True, kw_only=True)
class PaperBound:
    """One marginal: bounds as shares of rows between 0 and 1, `ours` None without one. `theorem` is the
    number of the theorem behind `theirs`."""

    name: str
    ours: float | None
    theirs: float
    theorem: int


@dataclass(frozen=True, kw_only=True)
class PaperBounds:
    """All bounds of a release. Theorem 4 covers the `measured` tables; together it bounds the sum of squared
    differences of counts, with root `l2`; `triangle` is that bound by the triangle inequality. `chose`: the
    run selected what to measure, so that Theorem 5 may apply."""

    rows: tuple[PaperBound, ...] = ()
    measured: int = 0
    l2: float = 0.0
    triangle: float = 0.0
    chose: bool = False

    @property
    def has_unselected(self) -> bool:
        return len(self.rows) > self.measured

    @property
    def warning(self) -> str:
        """Return the warning about Theorem 5, if it was used."""
        return WARNING if self.has_unselected else ""


def paper_bounds(
    evidence: Evidence,
    synthetic: CodeTable,
    checks: Checks,
    *,
    name_of: Callable[[Clique], str],
    chose: bool,
) -> PaperBounds:
    """Return the bounds of released rows: measured tables first, in the order of the queries."""
    ours = {bound.clique: bound for bound in checks.bounds}
    measured = measured_limits(evidence, synthetic, beta=1 - checks.confidence)

    def row(clique: Clique, l1: float, *, theorem: int, is_coarse: bool = False) -> PaperBound:
        bound = ours.get(clique)
        own = None if bound is None else bound.coarse_tvd if is_coarse else bound.tvd
        share = min(1.0, 0.5 * max(l1, 0.0) / max(evidence.total, 1.0))
        return PaperBound(name=name_of(clique), ours=own, theirs=share, theorem=theorem)

    return PaperBounds(
        rows=(
            *(row(m.clique, m.l1, theorem=4, is_coarse=m.is_coarse) for m in measured),
            *(row(u.clique, u.l1, theorem=5) for u in checks.unselected),
        ),
        measured=len(measured),
        l2=math.hypot(*(m.l2 for m in measured)),
        triangle=math.hypot(*(m.triangle for m in measured)),
        chose=chose,
    )
