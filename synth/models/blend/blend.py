"""Blend a tree, a forest, a mixture and a copula fitted to the same noisy tables, with weights estimated from
these tables.

Pseudo-code of lines 7 and 8 of `mechanisms.blend.method` (comments in `fit` use the same numbers). sd denotes
a standard deviation of the noise.
0. If there are tables of four or more columns, or tables of three columns that cover every column of a whole
   tree, fit only the tree, because the other models use only pairs. Tilings: fit without them, and then fit
   weights of records (`tiled`).
1. Draw e ~ N(0, sigma^2) and set y1 = y + c e, y2 = y - e / c with c^2 = 0.25. Both are independent given the
   true counts (`thinning`). Repeat with new e until a blend beats the tree by 3 sd, at most four times in
   total.
2. Fit a copula to y1. If all pairs were measured, their tables are not small, and the copula leaves less than
   2% of the departures of y2 from independence unexplained, it is the only candidate. Otherwise, also fit a
   tree, a forest and a mixture, and add independence. The number of steps and the pull of the mixture
   are those with the least distance to y2. A second version of each model adds the likely part of its
   residual (`denoise`).
3. Compute w = argmin over the simplex of sum (y2 - sum_k w_k model_k)^2 / (independence + sigma)
   (`stacking`). Use only the tree unless w is better by 0.8 sd. In every pair, independence gets the weight 2
   / z^2, where z is the part of y2 that w explains, in sd. If z >= 6, it gets no weight.
4. Fit the models with positive weight again to y, starting from their parameters.
5. For measured pairs, compute separate weights with w as a prior that counts as 100 average pairs. For other
   pairs, compute weights that explain their scores (`looked_at`), with w as a prior.
6. The table of a pair is the weighted sum of the models' tables. Correct measured tables of three columns by
   their measurements (`outside`). Draw records from the models in proportion to their squared weights, and
   swap values towards these tables (`blended`, `swap_towards`).

Source: Wolpert (1992) for stacking; the rest is our own. All of this is post-processing: e is drawn with the
seed.
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
from synth.core.progress import Reporter
from synth.models.base import Generator, Setting
from synth.models.blend.blended import BlendedModel
from synth.models.blend.candidates import (
    ALONE,
    BASES,
    CANDIDATES,
    COPULA,
    DENOISED,
    START,
    TREE,
    Candidates,
    base_of,
    fit_candidates,
)
from synth.models.blend.looked_at import weights_by_look
from synth.models.blend.refined import RefinedRecords, clique_cells_option
from synth.models.blend.stacking import Stack, averaged, stacked
from synth.models.blend.thinning import thinned
from synth.models.blend.tiled import tiled_records
from synth.models.coarse import onto
from synth.models.estimates.expected_distance import expected_distance
from synth.models.estimates.proportional import fitted_to
from synth.models.outside import fitting_ridge, ridged
from synth.models.pgm import merged
from synth.models.targets import NoisyTable, Pair, noisy_pairs, targets_of

# The constants that concern fitting. After `|`: the tables used for tuning, or the commit of the value.
THINNED = 0.25  # c^2: variance factors are 1 + c^2 for fitting, 1 + 1 / c^2 for comparing | 2275e195
THINNINGS = 4  # Maximum number of repetitions, each with new fits | 6afe74d3
CERTAIN = 3.0  # Advantage over the tree that ends the repetitions, in sd | 6afe74d3
CLEARLY = 0.8  # Minimum advantage of a blend over the tree, in sd | 2275e195
SURELY = 6.0  # Minimum z for which independence gets no weight, in sd | b6fec0fe
OPTIMISM = 2.0  # Bias of z^2, because y2 determined the weights; steps and pull add about 0.5 | b6fec0fe
PRIOR_PAIRS = 100.0  # Weight of the prior w, in average pairs | 647b5ccd
LITTLE = 0.02  # Maximum unexplained part of a copula as the only candidate | d3b713a8
TELLING = 10.0  # Minimum mean of (n_a - 1)(n_b - 1) for a copula alone; it fits any binary pair | d3b713a8
LEAST = 0.05  # Minimum weight of a model | d61711d8
HEAVY = 0.3  # Minimum weight of a model that is fitted again; others are hardly noisier | d61711d8
NEARNESS = 0.05  # Final distance of swaps, of the tables' error | chain-100, Adult, gauss50
SMOOTH = 0.8  # Reduction of NEARNESS for a copula alone, which has less error | 6e44860f
RIDGE = 0.5  # Shrinkage of tables of three columns, as in the tree | 56f91b57

BY_COPULA = (COPULA, COPULA + DENOISED)


@dataclass(frozen=True, kw_only=True)
class BlendedRecords(Generator):
    """Options of the blend. `clique_cells`: the maximum size of a clique of the tree."""

    name: ClassVar[str] = "blend"
    title: ClassVar[str] = "Blend"
    summary: ClassVar[str] = (
        "A weighted combination of a tree, a forest, a mixture and a copula of the noisy measurements."
    )
    tiles: ClassVar[bool] = True
    starts: ClassVar[bool] = True

    clique_cells: int = clique_cells_option()

    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """Fit the blend. If no blend is clearly better than the tree, fit only the tree with refined records
        (`RefinedRecords`).

        With structural zeros, columns cannot be independent, so the models get the full weight. Deterministic
        given `seed`.

        Raises: ValueError as `RefinedRecords.fit`.
        """
        if evidence.tilings:
            model = self.fit(evidence.untiled(), seed=how.seed, report=how.report)
            return tiled_records(evidence, model, seed=how.seed, report=how.report)
        tree = RefinedRecords(clique_cells=self.clique_cells)
        wider = [m.clique for m in evidence.measurements if len(m.clique) > 2]
        evidence = _larger_first(evidence) if wider else evidence
        if not _has_pairs(evidence) or self._suits_tree(evidence.domain, wider):
            return tree.fit(evidence, report=how.report)
        judged, stack, is_settled = _judged(evidence, tree, seed=how.seed, report=how.report)
        belief = 1.0 if evidence.zeros else _belief(stack)
        is_plain = evidence.start is None and not wider and not is_settled and belief == 1
        if is_plain and stack.gain(stack.weights, _tree_alone(judged)) < CLEARLY:
            return tree.fit(evidence, start=judged.tree, report=how.report)
        weights = _weights(evidence, judged, stack, belief)  # lines 3 and 5
        fitted = fit_candidates(  # line 4
            evidence,
            tree,
            wanted={*weights.kinds, *(k for k, part in weights.parts.items() if part)},
            start=judged,
            again=[base for base, part in weights.parts.items() if part >= HEAVY],
            seed=how.seed,
            report=how.report,
        )
        return _blended(evidence, fitted, weights)  # line 6

    def _suits_tree(self, domain: Domain, wider: Sequence[Clique]) -> bool:
        """Return whether only a tree can use these tables, or represents them best."""
        is_whole = domain.size() <= self.clique_cells
        holds_all = is_whole and {name for r in wider for name in r} == {*domain.names}
        return holds_all or any(len(r) > 3 for r in wider)


def _has_pairs(evidence: Evidence) -> bool:
    return any(len(m.clique) > 1 for m in evidence.measurements)


def _larger_first(evidence: Evidence) -> Evidence:
    """Move tables of more than two columns to the front, so that they are added to the tree first."""
    answers = (
        replace(a, step=-1) if isinstance(a, Measurement) and len(a.clique) > 2 else a
        for a in evidence.answers
    )
    return replace(evidence, answers=tuple(answers))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Weights:
    """Weights of the candidates for measured pairs, and of the bases for all other pairs.

    `measured[pair]`: float64[kinds]. `parts`: the mean weight of each base over all pairs, without the weight
    of independence.
    """

    kinds: tuple[str, ...]
    measured: Mapping[Pair, NDArray[np.float64]]
    others: Mapping[str, float]
    parts: Mapping[str, float]


def _has_all_pairs(evidence: Evidence) -> bool:
    requested = {m.clique for m in evidence.measurements if len(m.clique) == 2}
    return len(requested) == math.comb(len(evidence.domain), 2)


def _explains_all(known: Candidates, fresh: Mapping[Pair, NoisyTable]) -> bool:
    """Return whether a copula fitted to all pairs explains almost all of their departures from independence.
    False if there are no departures.
    """
    sizes = known.targets.domain.sizes
    free = [(sizes[a] - 1) * (sizes[b] - 1) for a, b in known.targets.pairs]
    return float(np.mean(free)) >= TELLING and _stack(known, fresh).left(np.ones(1)) < LITTLE


def _judged(
    evidence: Evidence, tree: RefinedRecords, *, seed: int, report: Reporter
) -> tuple[Candidates, Stack, bool]:
    """Fit models to one part of the thinned tables, and compare them with the other part (lines 1 and 2).

    Return the models of the first thinning, the comparison, and whether a copula is the only candidate.
    """
    fits: list[Candidates] = []
    stacks: list[Stack] = []
    is_settled, is_certain = False, False
    while not (is_settled or is_certain or len(fits) == THINNINGS):
        first, second = thinned(evidence, THINNED, np.random.default_rng([seed, 0, len(fits)]))
        targets, known = targets_of(first), None
        fresh = noisy_pairs(second, targets.coarsening)
        if not fits and evidence.start is None and _has_all_pairs(first):
            known = fit_candidates(first, tree, wanted=[COPULA], targets=targets, seed=seed)
        is_settled = known is not None and _explains_all(known, fresh)
        fitted = fit_candidates(
            first,
            tree,
            wanted=BY_COPULA if is_settled else CANDIDATES,
            start=known,
            again=(),
            targets=targets,
            unseen=fresh,
            seed=seed,
            report=report,
        )
        fits.append(fitted)
        stacks.append(_stack(fitted, fresh))
        stack = averaged(stacks, shared=THINNED / (1 + THINNED))
        is_certain = not is_settled and stack.gain(stack.weights, _tree_alone(fitted)) >= CERTAIN
    return fits[0], stack, is_settled


def _candidates(fitted: Candidates) -> list[str]:
    """Return the models to compare. With a starting table, they include independence."""
    known = [kind for kind in CANDIDATES if kind in fitted.tables]
    return known if fitted.base == ALONE else [ALONE, *known]


def _tree_alone(fitted: Candidates) -> NDArray[np.float64]:
    return np.array([float(kind == TREE) for kind in _candidates(fitted)])


def _stack(judged: Candidates, fresh: Mapping[Pair, NoisyTable]) -> Stack:
    return stacked(fresh, [judged.tables[kind] for kind in _candidates(judged)], judged.expected)


def _belief(stack: Stack) -> float:
    """Return the total weight of all models except independence.

    It is 1 - `OPTIMISM` / z^2, clipped to [0, 1], and 1 if z >= `SURELY`, where z is `Stack.seen`. This is
    the shrinkage of James and Stein for a mean.
    """
    seen = stack.seen(stack.weights)
    if seen >= SURELY:
        return 1.0
    return max(0.0, 1 - OPTIMISM / seen**2) if seen > 0 else 0.0


def _weights(evidence: Evidence, judged: Candidates, stack: Stack, belief: float) -> _Weights:
    known = [i for i, w in enumerate(stack.weights.tolist()) if w >= LEAST]
    some, kinds = stack.of(known), tuple(_candidates(judged)[i] for i in known)
    bases = [base for base in BASES if base in judged.tables]
    by_base = [sum(w for w, k in zip(some.weights, kinds, strict=True) if base_of(k) == b) for b in bases]
    prior, tables = np.array(by_base), [judged.tables[base] for base in bases]
    is_base = (np.array(bases) == judged.base).astype(np.float64)
    if judged.base == START:
        others = weights_by_look(evidence, judged.targets, tables, is_base, start=judged.expected)
    else:
        others = weights_by_look(evidence, judged.targets, tables, prior)
    others = np.where(others >= LEAST, others, 0.0)
    others /= others.sum()
    part = len(stack.pairs) / math.comb(len(judged.targets.domain), 2)
    whole = part * prior + (1 - part) * others
    measured = np.insert(belief * some.by_pair(PRIOR_PAIRS), 0, 1 - belief, axis=1)
    others = belief * others + (1 - belief) * is_base
    if judged.base == START:
        whole = belief * whole + (1 - belief) * is_base
    return _Weights(
        kinds=(judged.base, *kinds),
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
    off = [expected_distance(tables[pair], noisy.sigma) for pair, noisy in targets.pairs.items()]
    model = BlendedModel(
        candidates=fitted,
        tables=tables,
        parts=_drawing(weights.parts),
        zeros=evidence.zeros,
        near=NEARNESS * (1 - SMOOTH * weights.parts[COPULA]) * float(np.mean(off)),
        detail=_detail(fitted),
    )
    return replace(model, triples=_triples(evidence, model))


def _detail(fitted: Candidates) -> float:
    """Return the weight of the starting table, relative to independence, that fits the noisy tables best.
    Both models were fitted only to the columns.
    """
    if fitted.base == ALONE:
        return 0.0
    models = [fitted.tables[base] for base in (ALONE, START)]
    return float(stacked(fitted.targets.pairs, models, models[0]).weights[1])


def _triples(evidence: Evidence, model: BlendedModel) -> dict[Clique, NDArray[np.float64]]:
    """Correct the model's tables of three columns by their measurements, without changing their pairs."""
    triples: dict[Clique, NDArray[np.float64]] = {}
    requested = (m for m in evidence.measurements if len(m.clique) == 3)
    for m in merged(onto(model.targets.coarsening, m) for m in requested):
        pairs: dict[tuple[int, ...], NDArray[np.float64]] = {
            (a, b): model.coarse((m.clique[a], m.clique[b])) for a, b in combinations(range(3), 2)
        }
        expected, sigma = fitted_to(model.coarse(m.clique), pairs), float(m.variance) ** 0.5
        factor = fitting_ridge(m.counts[None], sigma, expected=expected[None], total=model.total)
        penalty = RIDGE * float(factor[0]) * sigma
        triples[m.clique] = fitted_to(ridged(expected, m.counts, penalty), pairs)
    return triples


def _drawing(parts: Mapping[str, float]) -> dict[str, float]:
    """Return the share of the records that each model draws, which is proportional to its squared weight.
    Records of a model with a small weight need many swaps. Independence draws no records.
    """
    squares = {base: parts[base] ** 2 for base in BASES if base != ALONE}
    kept = {base: s for base, s in squares.items() if s > LEAST * sum(squares.values())}
    return {base: s / sum(kept.values()) for base, s in kept.items()} or {TREE: 1.0}
