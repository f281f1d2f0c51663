"""A tree, a forest, a mixture and a copula of the same answers, weighed against each other by those answers.

Pseudo-code (the numbers stand again in `fit`)
  0. with tables of four columns or more, or tables of three that hold every column where the tree holds the
     whole table: the tree alone, the others read nothing but pairs. If tables were asked in several sets of
     groups: as without them, and the records weighed by them (`tiled`)
  1. y1 = y + c e, y2 = y - e / c, e ~ N(0, sigma^2): independent given the truth (`thinning`). Where models
     fitted to y1 do nearly as well on y2, with fresh e up to four times, and what they do is averaged: with
     one, chance of our own making decided
  2. fit a copula to y1; where all pairs were measured, in more than a few codes each, and it leaves nearly
     nothing of y2, it is believed alone. Else fit tree, forest and mixture too (`candidates`); a fifth is
     independence; of measured pairs each also with the likely part of what it leaves (`denoise`)
  3. w: the mixture of these that is nearest to y2 (`stacking`); the tree alone unless it is beaten clearly.
     Where chance alone may have made w nearer than independence, a part of every pair is independence
  4. fit those with weight to y, from where they are
  5. measured pairs: their own weights, drawn towards w. The others: weights by what the look said of them
     (`looked_at`), drawn towards w
  6. the tables of all pairs are the blend's, those of three columns that were measured what the answer adds
     to it (`outside`); records are drawn from tree, forest, mixture and copula in proportion to their squared
     weights, and swapped towards these tables, and first also towards the blend's of three columns where
     there are few (`blended`, `swap_towards`)

Sources: stacking by Wolpert (1992); our own otherwise. Free: y was paid for, and e comes from the seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.options import option
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.system.device import AUTO
from synth.models.base import Generator
from synth.models.blended import BlendedModel
from synth.models.candidates import (
    ALONE,
    BASES,
    CANDIDATES,
    COPULA,
    DENOISED,
    FOREST,
    MIXTURE,
    TREE,
    Candidates,
    base_of,
    fit_candidates,
)
from synth.models.coarse import onto
from synth.models.expected_distance import expected_distance
from synth.models.looked_at import weights_by_look
from synth.models.outside import fitting_ridge, ridged
from synth.models.pgm import merged
from synth.models.proportional import fitted_to
from synth.models.refined import RefinedRecords
from synth.models.stacking import Stack, averaged, stacked
from synth.models.targets import Pair, noisy_pairs
from synth.models.thinning import thinned
from synth.models.tiled import tiled_records

THINNED = 0.25
"""c^2: models are fitted to answers with so much more variance, and judged by answers with 1 + 1 / c^2."""

THINNINGS, CERTAIN = 4, 3.0
"""How often, at the most; and by how many standard deviations of the judging noise a blend beats the tree
where once is enough. Models of another thinning begin anew: what one has seen, the other judges by."""

CLEARLY = 0.8
"""A blend has to beat the tree by so many standard deviations of the judging noise."""

SURELY = 6.0
"""A blend that sees what it says of pairs in the fresh answers, so many standard deviations of their noise
from nothing, is believed whole."""

OPTIMISM = 2.0
"""What chance adds to z^2, where z is of weights that were chosen by the same answers."""

PRIOR_PAIRS = 100.0
"""All pairs' weights count as much as so many average pairs against a pair's own."""

TREE_ALONE = np.eye(len(CANDIDATES))[CANDIDATES.index(TREE)]

LITTLE = 0.02
"""A copula that leaves a smaller part of what pairs know of each other is believed without asking others."""

LEAST = 0.05
"""A model with a smaller weight is left out."""

HEAVY = 0.3
"""A model with a smaller weight stays as it was fitted to the thinned answers: they are hardly noisier."""

NEARNESS = 0.1
"""Records are near enough to the tables when they are off by this part of what the tables are off by."""

TELLING = 10.0
"""Free cells that a pair needs on average before it says much that one correlation explains it: of yes-no
columns it explains every pair, and misses what three of them have in common."""

RIDGE = 0.5
"""How strongly tables of three columns are drawn to what is expected of them, as the tree's are."""

BY_COPULA = (COPULA, COPULA + DENOISED)
"""What there is to weigh where the copula is believed without asking others."""

SMOOTH = 0.8
"""By how much nearer where a copula is believed alone: its tables are off by far less than a cell's noise."""


@dataclass(frozen=True, kw_only=True)
class BlendedRecords(Generator):
    """How large a clique of the tree may be."""

    name: ClassVar[str] = "blend"
    title: ClassVar[str] = "Blend"
    summary: ClassVar[str] = (
        "A tree, a forest, a mixture and a copula of the same answers, each believed as far as the answers "
        "bear it out."
    )
    tiles: ClassVar[bool] = True

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
        """The blend, or the tree with its records refined (`RefinedRecords`) where nothing clearly beats it
        and the answers bear out what it says of pairs. Under zeros independence is not of the columns: there
        what models say is believed whole.
        Deterministic given `seed`. ValueError as `RefinedRecords.fit`."""
        if evidence.tilings:
            model = self.fit(evidence.untiled(), seed=seed, report=report, checkpoint=checkpoint)
            return tiled_records(evidence, model, seed=seed, report=report)
        tree = RefinedRecords(clique_cells=self.clique_cells)
        wider = [m.clique for m in evidence.measurements if len(m.clique) > 2]
        evidence = _larger_first(evidence) if wider else evidence
        if not _has_pairs(evidence) or self._suits_tree(evidence.domain, wider):
            return tree.fit(evidence, report=report, checkpoint=checkpoint)
        judged, stack, is_settled = _judged(evidence, tree, seed=seed, report=report, checkpoint=checkpoint)
        belief = 1.0 if evidence.zeros else _belief(stack)
        if not wider and not is_settled and belief == 1 and stack.gain(stack.weights, TREE_ALONE) < CLEARLY:
            return tree.fit(evidence, start=judged.tree, report=report, checkpoint=checkpoint)
        weights = _weights(evidence, judged, stack, belief)  # lines 3 and 5
        fitted = fit_candidates(  # line 4
            evidence,
            tree,
            wanted={*weights.kinds, *(k for k, part in weights.parts.items() if part)},
            start=judged,
            again=[base for base, part in weights.parts.items() if part >= HEAVY],
            seed=seed,
            report=report,
            checkpoint=checkpoint,
        )
        return _blended(evidence, fitted, weights)  # line 6

    def _suits_tree(self, domain: Domain, wider: Sequence[Clique]) -> bool:
        """Whether only a tree reads such tables, or it holds them best."""
        is_whole = domain.size() <= self.clique_cells
        holds_all = is_whole and {name for r in wider for name in r} == {*domain.names}
        return holds_all or any(len(r) > 3 for r in wider)


def _has_pairs(evidence: Evidence) -> bool:
    return any(len(m.clique) > 1 for m in evidence.measurements)


def _larger_first(evidence: Evidence) -> Evidence:
    """The same as if tables of more than two columns had been asked first, so that the tree has room for
    them."""
    answers = (
        replace(a, step=-1) if isinstance(a, Measurement) and len(a.clique) > 2 else a
        for a in evidence.answers
    )
    return replace(evidence, answers=tuple(answers))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Weights:
    """What is believed: of measured pairs candidates, of all others bases.

    `measured[pair]`: float64[kinds]; `parts`: the weight of every base on average over all pairs, were the
    models believed whole.
    """

    kinds: tuple[str, ...]
    measured: Mapping[Pair, NDArray[np.float64]]
    others: Mapping[str, float]
    parts: Mapping[str, float]


def _has_all_pairs(evidence: Evidence) -> bool:
    asked = {m.clique for m in evidence.measurements if len(m.clique) == 2}
    return len(asked) == math.comb(len(evidence.domain), 2)


def _explains_all(known: Candidates, second: Evidence) -> bool:
    """Whether a copula fitted to all pairs leaves nearly nothing of them, and could have left much."""
    sizes = known.targets.domain.sizes
    free = [(sizes[a] - 1) * (sizes[b] - 1) for a, b in known.targets.pairs]
    return float(np.mean(free)) >= TELLING and _stack(known, second).left(np.ones(1)) < LITTLE


def _judged(
    evidence: Evidence, tree: RefinedRecords, *, seed: int, report: Reporter, checkpoint: Checkpoint
) -> tuple[Candidates, Stack, bool]:
    """Models of thinned answers, how they stand to what they have not seen, and whether a copula is believed
    without asking others (lines 1 and 2)."""
    fits: list[Candidates] = []
    stacks: list[Stack] = []
    is_settled, is_certain = False, False
    while not (is_settled or is_certain or len(fits) == THINNINGS):
        first, second = thinned(evidence, THINNED, np.random.default_rng([seed, 0, len(fits)]))
        known = None
        if not fits and _has_all_pairs(first):
            known = fit_candidates(first, tree, wanted=[COPULA], seed=seed)
        is_settled = known is not None and _explains_all(known, second)
        fitted = fit_candidates(
            first,
            tree,
            wanted=BY_COPULA if is_settled else CANDIDATES,
            start=known,
            again=(),
            seed=seed,
            report=report,
            checkpoint=checkpoint,
            name=f"thinned {len(fits)}",
        )
        fits.append(fitted)
        stacks.append(_stack(fitted, second))
        stack = averaged(stacks, shared=THINNED / (1 + THINNED))
        is_certain = not is_settled and stack.gain(stack.weights, TREE_ALONE) >= CERTAIN
    return fits[0], stack, is_settled


def _candidates(fitted: Candidates) -> list[str]:
    return [kind for kind in CANDIDATES if kind in fitted.tables]


def _stack(judged: Candidates, second: Evidence) -> Stack:
    fresh = noisy_pairs(second, judged.targets.coarsening)
    return stacked(judged.targets, fresh, [judged.tables[kind] for kind in _candidates(judged)])


def _belief(stack: Stack) -> float:
    """The part of what models say of pairs that is believed: 1 - `OPTIMISM` / z^2, none below 0, all from
    `SURELY` on. z (`Stack.seen`): how clearly the fresh answers see it; as James and Stein shrink a mean."""
    seen = stack.seen(stack.weights)
    if seen >= SURELY:
        return 1.0
    return max(0.0, 1 - OPTIMISM / seen**2) if seen > 0 else 0.0


def _weights(evidence: Evidence, judged: Candidates, stack: Stack, belief: float) -> _Weights:
    known = [i for i, w in enumerate(stack.weights.tolist()) if w >= LEAST]
    some, kinds = stack.of(known), tuple(_candidates(judged)[i] for i in known)
    bases = [base for base in BASES if base in judged.tables]
    by_base = [sum(w for w, k in zip(some.weights, kinds, strict=True) if base_of(k) == b) for b in bases]
    prior = np.array(by_base)
    others = weights_by_look(evidence, judged.targets, [judged.tables[base] for base in bases], prior)
    others = np.where(others >= LEAST, others, 0.0)
    others /= others.sum()
    part = len(stack.pairs) / math.comb(len(judged.targets.domain), 2)
    whole = part * prior + (1 - part) * others
    measured = np.insert(belief * some.by_pair(PRIOR_PAIRS), 0, 1 - belief, axis=1)
    others = belief * others + (1 - belief) * (np.array(bases) == ALONE)
    return _Weights(
        kinds=(ALONE, *kinds),
        measured=dict(zip(some.pairs, measured, strict=True)),
        others=dict(zip(bases, others.tolist(), strict=True)),
        parts=dict.fromkeys(BASES, 0.0) | dict(zip(bases, whole.tolist(), strict=True)),
    )


def _blended(evidence: Evidence, fitted: Candidates, weights: _Weights) -> BlendedModel:
    targets, tables = fitted.targets, dict[Pair, NDArray[np.float64]]()
    for pair, alone in fitted.tables[ALONE].items():
        if pair in weights.measured:
            believed = zip(weights.measured[pair].tolist(), weights.kinds, strict=True)
        else:
            believed = zip(weights.others.values(), weights.others, strict=True)
        tables[pair] = sum((w * fitted.tables[k][pair] for w, k in believed if w > 0), np.zeros_like(alone))
    off = [expected_distance(tables[pair], told.sigma) for pair, told in targets.pairs.items()]
    model = BlendedModel(
        candidates=fitted,
        tables=tables,
        parts=_drawing(weights.parts),
        zeros=evidence.zeros,
        near=NEARNESS * (1 - SMOOTH * weights.parts[COPULA]) * float(np.mean(off)),
    )
    return replace(model, triples=_triples(evidence, model))


def _triples(evidence: Evidence, model: BlendedModel) -> dict[Clique, NDArray[np.float64]]:
    """What the model expects of the tables of three columns that were measured, corrected by the answers; its
    pairs are the model's."""
    triples: dict[Clique, NDArray[np.float64]] = {}
    asked = (m for m in evidence.measurements if len(m.clique) == 3)
    for m in merged(onto(model.targets.coarsening, m) for m in asked):
        pairs: dict[tuple[int, ...], NDArray[np.float64]] = {
            (a, b): model.coarse((m.clique[a], m.clique[b])) for a, b in combinations(range(3), 2)
        }
        expected, sigma = fitted_to(model.coarse(m.clique), pairs), float(m.variance) ** 0.5
        penalty = RIDGE * fitting_ridge(m.counts, sigma, expected=expected, total=model.total) * sigma
        triples[m.clique] = fitted_to(ridged(expected, m.counts, penalty), pairs)
    return triples


def _drawing(parts: Mapping[str, float]) -> dict[str, float]:
    """Parts of the records: squares of the weights, since a model that is believed little draws records that
    swaps have to change much. Independence draws none."""
    squares = {base: parts[base] ** 2 for base in (TREE, FOREST, MIXTURE, COPULA)}
    kept = {base: s for base, s in squares.items() if s > LEAST * sum(squares.values())}
    return {base: s / sum(kept.values()) for base, s in kept.items()} or {TREE: 1.0}
