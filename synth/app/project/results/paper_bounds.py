"""The bounds of the MargNet paper beside ours, of an opened bundle (`check.paper_bounds`).

Theorem 4 follows from the noisy tables of the bundle. Theorem 5 needs the scores of a selection, which no
bundle keeps: it was worked out when the run made its table, and is read from the checks.
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
    """One marginal: bounds as shares of the rows between 0 and 1, `ours` None where there is none. `theorem`
    says which of the paper `theirs` is by."""

    name: str
    ours: float | None
    theirs: float
    theorem: int


@dataclass(frozen=True, kw_only=True)
class PaperBounds:
    """All of a release. `measured` tables are under Theorem 4; for all of them together it bounds the sum of
    the squared differences of counts, whose root `l2` is; `triangle` is that by the triangle inequality.
    `chose`: the run chose what to measure, so that Theorem 5 may have been told of its own table."""

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
        """What has to be said beside Theorem 5, where there is any of it."""
        return WARNING if self.has_unselected else ""


def paper_bounds(
    evidence: Evidence,
    synthetic: CodeTable,
    checks: Checks,
    *,
    name_of: Callable[[Clique], str],
    chose: bool,
) -> PaperBounds:
    """Of released rows, the tables that were measured first, in the order of the questions."""
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
