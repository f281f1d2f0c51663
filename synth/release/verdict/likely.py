"""Add the posterior of each single error to the figures of the accuracy check.

The posterior depends only on the release: the noisy errors, the synthetic rows, the measured tables and the
bounds. So `verify` computes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.estimates.facts import facts_of
from synth.estimates.likely_errors import Checked, likely_errors
from synth.release.checks.bounds import Bound
from synth.release.verdict.figures import Judged, Verdict


class Rows(Protocol):
    """The synthetic rows, counted."""

    @property
    def rows(self) -> int: ...

    def counts(self, clique: Clique, /) -> NDArray[np.int64]: ...


def with_likely_errors(
    verdict: Verdict, evidence: Evidence, synthetic: Rows, bounds: Iterable[Bound]
) -> Verdict:
    """Return the verdict with the posterior of each error that was measured for these rows.

    Columns and pairs are treated separately. The bounds are rounded as in the release package.
    """
    if not verdict.is_of_this_table or synthetic.rows == 0:
        return verdict
    limits = {b.clique: 1.0 if b.tvd is None else float(f"{b.tvd:.6g}") for b in bounds}
    cliques = {fact.clique for fact in facts_of(evidence)}
    measured = {part for clique in cliques for n in (1, 2) for part in combinations(clique, n)}
    rows = min(float(synthetic.rows), max(evidence.total, 1.0))
    widths = [_likely(verdict.of_width(n), synthetic, measured, limits, rows) for n in (1, 2)]
    found = {one.clique: one for tables in widths for one in tables}
    return replace(verdict, tables=tuple(found.get(one.clique, one) for one in verdict.tables))


def _likely(
    tables: list[Judged],
    synthetic: Rows,
    measured: set[Clique],
    limits: Mapping[Clique, float],
    rows: float,
) -> list[Judged]:
    checked = [
        Checked(
            error=one.error.estimate,
            shares=synthetic.counts(one.clique) / synthetic.rows,
            is_measured=one.clique in measured,
            bound=limits.get(one.clique, 1.0),
        )
        for one in tables
    ]
    if not checked:
        return []
    likely = likely_errors(checked, sd=tables[0].error.sd, rows=rows)
    return [replace(one, likely=found) for one, found in zip(tables, likely, strict=True)]
