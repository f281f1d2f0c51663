"""Records of a model of pairs, weighed by tables of more columns that were measured in many sets of groups.

  1. draw records of the model, all different
  2. weigh them, from their frequency in the model, by columns and tilings at once (`tallies`), and by the
     model's tables of pairs with a tiled column, as if counted with the noise of a measured pair
  3. unless they hold nearly every possible record of the tiled columns: draw records by weight, vary these
     columns a little, keep some as they are, and weigh again, with less variation each time
  4. rake the weights to the likely columns
  5. once records are drawn, swap values of the other columns until their pairs are as in the model (`swaps`)

Our own, after tile coding (Albus 1975; Sutton and Barto 2018, section 9.5.4): what a few cells of many tables
have in common, each cut elsewhere, is a small place of the whole table. Line 2 takes the model's pairs and
not the noisy ones: a model of all pairs has a smaller error than the noise of one pair. All of it is
post-processing. Zeros: the model's records are in no forbidden cell, varied ones are moved out of it, and
swaps avoid it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.progress import UNSAVED, Reporter, silent
from synth.core.zeros import Zero
from synth.models.estimates.columns import one_ways
from synth.models.pulse import Pulse
from synth.models.records.record_table import WeightedRecords
from synth.models.records.reweighed import distinct_records, raked
from synth.models.records.swap_towards import swap_towards
from synth.models.records.tallies import Tally, counts_tally, table_tally, weighed
from synth.models.records.variation import varied
from synth.models.repair import repaired

Codes = NDArray[np.int64]

RECORDS = 60_000
"""Records that are thought of."""

RATES = (0.1, 0.05)
"""How much records are varied, time by time."""

KEPT = 2
"""One record in so many is kept as it is beside the varied ones."""

STEPS = 30
"""How often all answers are gone through, each time."""

MOST_PAIRS = 200
"""Most pairs whose tables weigh, those that were measured first: some ten seconds by an estimate."""


@dataclass(frozen=True, eq=False)
class TiledRecords(WeightedRecords):
    """Weighted records, drawn with the pairs of all columns but `tiled` as `pairs` has them."""

    pairs: Model = field(kw_only=True)
    tiled: frozenset[str] = field(kw_only=True)
    zeros: tuple[Zero, ...] = field(kw_only=True)

    def sample(self, rows: int, rng: np.random.Generator) -> Codes:
        """Records by weight, the tiled columns as they are, values of the others swapped. Shapes: int64[rows,
        len(domain)]."""
        codes = super().sample(rows, rng)
        return swap_towards(
            self.pairs,
            codes,
            rng=rng,
            measured=[r for r in self.pairs.cliques if len(r) == 2],
            zeros=self.zeros,
            kept=self.tiled,
        )


def tiled_records(
    evidence: Evidence, model: Model, *, seed: int = 0, report: Reporter = silent
) -> TiledRecords:
    """Records of `model`, which knows nothing of the tilings, weighed by them. Deterministic given `seed`."""
    rng, domain = np.random.default_rng([seed, 7]), evidence.domain
    asked = [*(m for m in evidence.measurements if len(m.clique) == 1), *evidence.tilings]
    tallies = [*_of_pairs(evidence, model), *(table_tally(m, domain) for m in asked)]
    rates = RATES if domain.size(domain.clique(_tiled(evidence))) > RECORDS else ()
    steps = STEPS * (1 + len(rates))
    pulse = Pulse("tiled", "weighing records", steps, report, UNSAVED)
    codes, weights = distinct_records(model.sample(RECORDS, rng), evidence.total)  # line 1
    for turn, rate in enumerate((0.0, *rates)):
        if rate > 0:
            codes, weights = distinct_records(_varied(evidence, codes, weights, rate, rng), evidence.total)

        def told(step: int, loss: float, _: object, *, first: int = turn * STEPS) -> None:
            pulse.told(first + step, loss, lambda: np.zeros(0))

        weights = weighed(tallies, codes, weights, steps=STEPS, told=told)  # lines 2 and 3
    columns = [likely.counts for likely in one_ways(evidence).values()]
    weights = raked(weights, codes, columns)  # line 4
    return TiledRecords(
        domain,
        evidence.total,
        codes,
        weights * (evidence.total / weights.sum()),
        pairs=model,
        tiled=_tiled(evidence),
        zeros=evidence.zeros,
    )


def _of_pairs(evidence: Evidence, model: Model) -> list[Tally]:
    """The model's tables of pairs with a tiled column, with the typical noise of those that were measured;
    none if none was."""
    tiled, measured = _tiled(evidence), [m for m in evidence.measurements if len(m.clique) == 2]
    if not measured:
        return []
    variance = float(np.median([float(m.variance) for m in measured]))
    every = dict.fromkeys([*(m.clique for m in measured), *combinations(evidence.domain.names, 2)])
    pairs = [r for r in every if not tiled.isdisjoint(r)][:MOST_PAIRS]
    told = zip(pairs, model.project_many(pairs), strict=True)
    return [counts_tally(r, counts, variance, evidence.domain) for r, counts in told]


def _varied(
    evidence: Evidence, codes: Codes, weights: NDArray[np.float64], rate: float, rng: np.random.Generator
) -> Codes:
    """Records drawn by weight: varied in the columns of the tilings, and some as they are."""
    drawn = codes[rng.choice(len(codes), RECORDS, p=weights / weights.sum())]
    domain = evidence.domain
    children = varied(drawn, domain, rate=rate, ordered=evidence.ordered, zeros=(), rng=rng)
    kept = [axis for axis, name in enumerate(domain.names) if name not in _tiled(evidence)]
    children[:, kept] = drawn[:, kept]
    if evidence.zeros:
        even = [np.ones(size) for size in domain.sizes]
        children, _ = repaired(children, domain, evidence.zeros, even, rng)
    return np.concatenate([children, drawn[::KEPT]])


def _tiled(evidence: Evidence) -> frozenset[str]:
    """The columns that tilings are about."""
    return frozenset(name for m in evidence.tilings for name in m.clique)
