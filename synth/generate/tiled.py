"""Records of a model of pairs, weighed by tables of more columns that were asked in many sets of groups.

  1. records of the model, all different
  2. weigh them by columns and tilings at once (`tallies`), beginning with how often the model has them
  3. unless nearly every possible record of the tiled columns is among them: draw records by weight, vary
     these columns a little, keep some as they are, and weigh anew, with less variation every time
  4. columns then come as they are likely (raking)

Our own. What two columns know of each other is the model's, unless a tiling says otherwise; where tables of
many columns at once lie in groups that were cut elsewhere every time, what is common to a few cells of many
tables is a small place of the whole table. Free: all answers were paid for.
Zeros: the model's records are in no forbidden cell, and varied ones are moved out of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.evidence import Evidence
from synth.generate.columns import one_ways
from synth.generate.pulse import Pulse
from synth.generate.repair import repaired
from synth.generate.reweighed import distinct_records, raked
from synth.generate.tallies import table_tally, weighed
from synth.generate.variation import varied
from synth.generate.weighted_records import WeightedRecords
from synth.model import Model
from synth.progress import UNSAVED, Reporter, silent

Codes = NDArray[np.int64]

RECORDS = 60_000
"""Records that are thought of."""

RATES = (0.1, 0.05)
"""How much records are varied, time by time."""

KEPT = 2
"""One record in so many is kept as it is beside the varied ones."""

STEPS = 30
"""How often all answers are gone through, each time."""


def tiled_records(
    evidence: Evidence, model: Model, *, seed: int = 0, report: Reporter = silent
) -> WeightedRecords:
    """Records of `model`, which knows nothing of the tilings, weighed by them. Deterministic given `seed`."""
    rng, domain = np.random.default_rng([seed, 7]), evidence.domain
    asked = [*(m for m in evidence.measurements if len(m.clique) == 1), *evidence.tilings]
    tallies = [table_tally(m, domain) for m in asked]
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
    return WeightedRecords(domain, evidence.total, codes, weights * (evidence.total / weights.sum()))


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


def _tiled(evidence: Evidence) -> set[str]:
    """The columns that tilings are about."""
    return {name for m in evidence.tilings for name in m.clique}
