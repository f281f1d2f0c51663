"""Draw records from a model of pairs, and weight them to fit larger tables measured in many groupings.

Pseudo-code
  1. Draw distinct records from the model.
  2. Fit weights, starting from the frequencies in the model, to columns and tilings at once (`tallies`). Also
     fit them to the model's tables of pairs with a tiled column. The variance of a cell with the count c is
     c^2 s^2 / (c^2 + s^2), where s is the noise of a measured pair, and c is at least 1.
  3. If the records do not include nearly every possible record of the tiled columns, draw records by weight,
     vary these columns slightly, keep some records unchanged, and fit weights again. Repeat this with less
     variation.
  4. Rake the weights to the likely column counts.
  5. After records are drawn, swap values of the other columns until their pairs are as in the model
     (`swaps`).

This is our own method, based on tile coding (Albus 1975; Sutton and Barto 2018, section 9.5.4). The
intersection of a few cells of many tables, each with different boundaries, is a small region of the whole
table. Line 2 uses the model's pairs instead of the noisy pairs, because a model of all pairs has a smaller
error than the noise of one pair. If one column almost follows from another, most cells are almost empty. With
the variance s^2, these cells together would get a large part of the records. All of this is post-processing.
Structural zeros: no record of the model is in a forbidden cell, varied records are moved out of forbidden
cells, and swaps avoid these cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.progress import Reporter, silent
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
"""Number of candidate records."""

RATES = (0.1, 0.05)
"""Rates of variation of the records, one for each round."""

KEPT = 2
"""Number of varied records for each record that is kept unchanged."""

STEPS = 30
"""Number of passes over all measurements in each round."""

MOST_PAIRS = 200
"""Maximum number of pairs whose tables are fitted, in the order of measurement. Fitting them takes about ten
seconds.
"""


@dataclass(frozen=True, eq=False)
class TiledRecords(WeightedRecords):
    """Weighted records. After they are drawn, pairs of the columns outside `tiled` are swapped towards
    `pairs`.
    """

    pairs: Model = field(kw_only=True)
    tiled: frozenset[str] = field(kw_only=True)
    zeros: tuple[Zero, ...] = field(kw_only=True)

    def sample(self, rows: int, rng: np.random.Generator) -> Codes:
        """Draw records by weight, and then swap values of the columns that are not tiled. Shapes: int64[rows,
        len(domain)].
        """
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
    """Return records of `model` with weights fitted to the tilings, which the model does not use.
    Deterministic given `seed`.
    """
    rng, domain = np.random.default_rng([seed, 7]), evidence.domain
    requested = [*(m for m in evidence.measurements if len(m.clique) == 1), *evidence.tilings]
    tallies = [*_of_pairs(evidence, model), *(table_tally(m, domain) for m in requested)]
    rates = RATES if domain.size(domain.clique(_tiled(evidence))) > RECORDS else ()
    steps = STEPS * (1 + len(rates))
    pulse = Pulse("weighting records", steps, report)
    codes, weights = distinct_records(model.sample(RECORDS, rng), evidence.total)  # line 1
    for turn, rate in enumerate((0.0, *rates)):
        if rate > 0:
            codes, weights = distinct_records(_varied(evidence, codes, weights, rate, rng), evidence.total)

        def on_step(step: int, loss: float, *, first: int = turn * STEPS) -> None:
            pulse.on_step(first + step, loss)

        weights = weighed(tallies, codes, weights, steps=STEPS, on_step=on_step)  # lines 2 and 3
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
    """Return the model's tables of pairs with a tiled column, with their likely variance. Return no tables if
    no pair was measured.
    """
    tiled, measured = _tiled(evidence), [m for m in evidence.measurements if len(m.clique) == 2]
    if not measured:
        return []
    variance = float(np.median([float(m.variance) for m in measured]))
    every = dict.fromkeys([*(m.clique for m in measured), *combinations(evidence.domain.names, 2)])
    pairs = [r for r in every if not tiled.isdisjoint(r)][:MOST_PAIRS]
    counted = zip(pairs, model.project_many(pairs), strict=True)
    return [
        counts_tally(r, counts, 1 / (1 / np.maximum(counts, 1) ** 2 + 1 / variance), evidence.domain)
        for r, counts in counted
    ]


def _varied(
    evidence: Evidence, codes: Codes, weights: NDArray[np.float64], rate: float, rng: np.random.Generator
) -> Codes:
    """Draw records by weight. Most of them are varied in the tiled columns, and some are unchanged."""
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
    """Return the columns that the tilings contain."""
    return frozenset(name for m in evidence.tilings for name in m.clique)
