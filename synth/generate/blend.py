"""A tree, a mixture and a copula of the same answers, weighed against each other by those answers.

Pseudo-code (the numbers stand again in `fit`)
  1. y1 = y + c e, y2 = y - e / c, e ~ N(0, sigma^2): independent given the truth (`thinning`)
  2. fit tree, mixture and copula to y1 (`candidates`); a fourth is independence; of measured pairs each also
     with the likely part of what it leaves (`denoise`)
  3. w: the mixture of these that is nearest to y2 (`stacking`); the tree alone unless it is beaten clearly
  4. fit those with weight to y, from where they are
  5. measured pairs: their own weights, drawn towards w. The others: weights by what the look said of them
     (`looked_at`), drawn towards w
  6. the tables of all pairs are the blend's; records are drawn from tree, mixture and copula in proportion to
     their squared weights, and swapped towards these tables (`blended`)

Sources: stacking by Wolpert (1992); our own otherwise. Free: y was paid for, and e comes from the seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.device import AUTO
from synth.evidence import Evidence
from synth.generate.base import Generator
from synth.generate.blended import LEAST_SHARE, BlendedModel
from synth.generate.candidates import BASES, CANDIDATES, COPULA, MIXTURE, TREE, Candidates, base_of, fit_candidates
from synth.generate.looked_at import weights_by_look
from synth.generate.refined import RefinedRecords
from synth.generate.stacking import stacked
from synth.generate.targets import targets_of
from synth.generate.thinning import thinned
from synth.model import Model
from synth.options import option
from synth.progress import UNSAVED, Checkpoint, Reporter, silent

THINNED = 0.25
"""c^2: models are fitted to answers with so much more variance, and judged by answers with 1 + 1 / c^2."""

CLEARLY = 2.0
"""A blend has to beat the tree by so many standard deviations of the judging noise."""

PRIOR_PAIRS = 10.0
"""All pairs' weights count as much as so many average pairs against a pair's own."""

NEARNESS = 0.05
"""Records are near enough to the tables when they are off by this part of what the tables are off by."""

MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
"""E|Z| of standard noise."""


@dataclass(frozen=True, kw_only=True)
class BlendedRecords(Generator):
    """How large a clique of the tree may be."""

    name: ClassVar[str] = "blend"
    title: ClassVar[str] = "Blend"
    summary: ClassVar[str] = (
        "A tree, a mixture and a copula of the same answers, each believed as far as the answers bear it out."
    )

    clique_cells: int = option(
        RefinedRecords.clique_cells,
        label="Largest clique",
        help="Most cells of one table of the tree.",
        low=1_000,
        high=10_000_000,
        unit="cells",
    )

    def fit(
        self,
        evidence: Evidence,
        *,
        start: Model | None = None,
        seed: int = 0,
        device: str = AUTO,
        report: Reporter = silent,
        checkpoint: Checkpoint = UNSAVED,
    ) -> Model:
        """The blend, or the tree with its records refined (`RefinedRecords`) where nothing clearly beats it.
        Deterministic given `seed`. ValueError as `RefinedRecords.fit`."""
        tree = RefinedRecords(clique_cells=self.clique_cells)
        if not targets_of(evidence).pairs:
            return tree.fit(evidence, report=report, checkpoint=checkpoint)
        first, second = thinned(evidence, THINNED, np.random.default_rng([seed, 0]))  # line 1
        judged = fit_candidates(  # line 2
            first, tree, seed=seed, report=report, checkpoint=checkpoint, name="thinned"
        )
        stack = stacked(judged.targets, targets_of(second), [judged.tables[k] for k in CANDIDATES])
        weights, alone = stack.weights, np.eye(len(CANDIDATES))[CANDIDATES.index(TREE)]  # line 3
        if stack.gain(weights, alone) < CLEARLY:
            return tree.fit(evidence, start=judged.tree, report=report, checkpoint=checkpoint)
        by_pair = stack.by_pair(PRIOR_PAIRS)
        fitted = fit_candidates(  # line 4
            evidence, tree, start=judged, seed=seed, report=report, checkpoint=checkpoint
        )
        return _blended(evidence, fitted, weights, dict(zip(stack.pairs, by_pair, strict=True)))


def _blended(
    evidence: Evidence,
    fitted: Candidates,
    weights: NDArray[np.float64],
    by_pair: dict[tuple[int, int], NDArray[np.float64]],
) -> BlendedModel:
    targets = fitted.targets
    prior = np.array([sum(w for w, k in zip(weights, CANDIDATES, strict=True) if base_of(k) == b) for b in BASES])
    bases = [fitted.tables[base] for base in BASES]
    others = weights_by_look(evidence, targets, bases, prior)
    tables = {}
    for pair in fitted.tables[BASES[0]]:
        if pair in by_pair:
            told = [(w, fitted.tables[k]) for w, k in zip(by_pair[pair], CANDIDATES, strict=True) if w > 0]
        else:
            told = [(w, table) for w, table in zip(others, bases, strict=True) if w > 0]
        tables[pair] = sum((w * table[pair] for w, table in told), np.zeros_like(bases[0][pair]))
    measured = len(by_pair) / len(tables)
    whole = measured * prior + (1 - measured) * others
    parts = {base: float(w) for base, w in zip(BASES, whole, strict=True) if base in (TREE, MIXTURE, COPULA)}
    squares = {base: w**2 for base, w in parts.items()}
    sums = sum(squares.values())
    shares = {base: w / sums for base, w in squares.items() if w > LEAST_SHARE * sums} or {TREE: 1.0}
    shares = {base: w / sum(shares.values()) for base, w in shares.items()}
    off = [np.minimum(MEAN_ABSOLUTE * told.sigma, tables[pair]).sum() for pair, told in targets.pairs.items()]
    model = BlendedModel(
        candidates=fitted, tables=tables, parts=shares, zeros=evidence.zeros, near=NEARNESS * float(np.mean(off))
    )
    object.__setattr__(model, "told", dict(w=dict(zip(CANDIDATES, weights.round(2).tolist())), v=others.round(2).tolist(), parts={k: round(v, 2) for k, v in shares.items()}))
    return model
