"""How loose the bounds of the MargNet paper are beside ours: `python -m synth.bench.paper_looseness`.

A bound's looseness is the bound over the true L1 error of the released rows. Both kinds are of the same rows
of the same runs; ours hold one by one with 95 % confidence, those of a theorem of the paper all at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from synth.bench.measure import say
from synth.bench.runs import once
from synth.bench.tables import find, read
from synth.bench.trial import Part, Trial
from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.model import Projectable
from synth.core.table import CodeTable
from synth.mechanisms.shared.recipe import recipe_of
from synth.release.checks.bounds import Support, bounds
from synth.release.checks.paper_bounds import measured_limits, unselected_limits
from synth.release.checks.views import Released

TRIAL = Trial(
    part=Part.MECHANISM, table="adult", method="margnet+mixture", epsilon=1.0, delta=1e-9, repeats=5
)
"""What is run."""

Ratios = Mapping[str, list[float]]
"""Bounds over true errors, by kind of bound."""

OURS, OURS_UNMEASURED = "measured tables, ours", "other pairs, ours"
THEOREM_4, THEOREM_5 = "measured tables, Theorem 4", "other pairs, Theorem 5"


def looseness(evidence: Evidence, synthetic: Projectable, real: CodeTable) -> Ratios:
    """Of all measured tables and all other pairs, in the order of the candidates."""
    released = Released(synthetic, evidence.total)

    def over(l1: float, clique: Clique) -> float:
        return l1 / max(float(np.abs(real.counts(clique) - released.counts(clique)).sum()), 1e-9)

    measured = dict.fromkeys(m.clique for m in evidence.measurements)
    ratios = defaultdict[str, list[float]](list)
    for limit in measured_limits(evidence, synthetic):
        ratios[THEOREM_4].append(over(limit.l1, limit.clique))
    others = [u for u in unselected_limits(evidence, synthetic) if u.clique not in measured]
    for u in others:
        ratios[THEOREM_5].append(over(u.l1, u.clique))
    for bound in bounds(evidence, candidates=[*measured, *(u.clique for u in others)], synthetic=synthetic):
        if bound.l1_counts is not None:
            kind = OURS if bound.kind is Support.MEASURED else OURS_UNMEASURED
            ratios[kind].append(over(bound.l1_counts, bound.clique))
    return ratios


def main() -> None:
    """Print the looseness of every kind of bound, of all runs together."""
    recipe, table = recipe_of(TRIAL.method, TRIAL.options), find(TRIAL.table)
    workload, real = TRIAL.workload_of(table), read(table)
    found = defaultdict[str, list[float]](list)
    for repeat in range(TRIAL.repeats):
        made = once(TRIAL, recipe, table, workload, repeat)
        for kind, ratios in looseness(made.fitted.evidence, made.synthetic, real).items():
            found[kind] += ratios
        say(f"{TRIAL}: run {repeat + 1} of {TRIAL.repeats}")
    for kind, ratios in found.items():
        low, mid, high = np.quantile(ratios, [0, 0.5, 1])
        held = np.mean(np.array(ratios) >= 1)
        say(f"{kind}: {len(ratios)} bounds, {held:.1%} hold, {low:.1f} to {high:.0f} times, median {mid:.1f}")


if __name__ == "__main__":
    main()
