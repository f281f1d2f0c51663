"""Tables of pairs from several models of the same noisy measurements: tree, forest, mixture, copula, the
starting table and independence.

The tree is a junction tree with a free table for every measured pair. The forest fits all measurements with
only the parameters of its edges (`trees_fit` with one component), so that chains do not reproduce the noise
of distant pairs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synth.core.evidence import Evidence
from synth.core.progress import Reporter, silent
from synth.core.zeros import allowed_cells
from synth.models.base import Setting
from synth.models.blend.refined import Refined, RefinedRecords
from synth.models.copula.correlations import Correlations, copula_tables, fit_correlations
from synth.models.copula.denoise import denoised
from synth.models.estimates.proportional import fitted_to
from synth.models.estimates.starting import in_groups, starting_pairs
from synth.models.mixture.descent import AGAIN, MixtureOptions
from synth.models.mixture.mixture_fit import Mixture, fit_mixture
from synth.models.mixture.trees_fit import Trees, fit_trees
from synth.models.targets import NoisyTable, Pair, Targets, targets_of

ALONE, START = "alone", "start"
TREE, FOREST, MIXTURE, COPULA = "tree", "forest", "mixture", "copula"
BASES = (ALONE, START, TREE, FOREST, MIXTURE, COPULA)
"""Models that have a table of every pair, measured or not. `ALONE` is independence, and `START` is the
starting table with the noisy columns.
"""

DENOISED = " and its residual"
"""Suffix of a model to which the likely part of its residual in measured pairs was added."""

CANDIDATES = (TREE, FOREST, MIXTURE, COPULA, *(base + DENOISED for base in BASES))
"""Models that are compared in measured pairs."""

COMPONENTS = 250
"""Maximum number of components of a mixture. Four times as many reduce the error slightly and triple the
time.
"""

BY_RECORDS = 2.0
"""Maximum number of components of a mixture per square root of the number of records. A small table does not
determine more: its error stays the same, and the fit takes less than half the time.
"""

ONE_TREE = MixtureOptions(components=1)
"""Options of a forest with one component. More components do not improve chains, and the mixture and the tree
model other relations.
"""

Tables = Mapping[Pair, NDArray[np.float64]]
"""Counts of pairs in coarser codes."""


def base_of(candidate: str) -> str:
    """Return the model that draws the records of a candidate."""
    return candidate.removesuffix(DENOISED)


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """Models of the same targets. `tables`: the tables of every pair for a base, and of the measured pairs
    for the other models. `rows`: the rows of the starting table, in the domain's own codes.
    """

    targets: Targets
    tables: Mapping[str, Tables]
    tree: Refined | None = None
    forest: Trees | None = None
    mixture: Mixture | None = None
    correlations: Correlations | None = None
    rows: NDArray[np.int64] | None = None

    @property
    def base(self) -> str:
        """Return the name of the model from which departures are measured."""
        return ALONE if self.rows is None else START

    @property
    def expected(self) -> Tables:
        """Return the tables of the model from which departures are measured. Here, independence ignores
        structural zeros.
        """
        return independent(self.targets) if self.rows is None else self.tables[START]


def fit_candidates(
    evidence: Evidence,
    generator: RefinedRecords,
    *,
    wanted: Collection[str] = CANDIDATES,
    start: Candidates | None = None,
    again: Collection[str] = BASES,
    targets: Targets | None = None,
    unseen: Mapping[Pair, NoisyTable] | None = None,
    seed: int = 0,
    report: Reporter = silent,
) -> Candidates:
    """Fit the requested candidates to the same evidence. Deterministic given `seed`.

    `generator`: the options of the tree's fit. `start`: candidates fitted to nearly the same measurements,
    from which the fits start. Candidates that are not in `again` are returned unchanged. `targets`:
    the targets of the evidence, if they are known already. `unseen`: independent measurements of their pairs,
    which determine the steps and the pull of a mixture.

    Raises: ValueError as `RefinedRecords.fit`.
    """
    targets = targets or targets_of(evidence)
    fresh = None if unseen is None else replace(targets, pairs=unseen)
    first = start or Candidates(targets=targets, tables={})
    bases = {base_of(candidate) for candidate in wanted}
    fitted = {base for base in bases if base in again or base not in first.tables}
    tables: dict[str, Tables] = {base: first.tables[base] for base in bases - fitted}
    tables[ALONE] = _allowed(targets, independent(targets))
    rows = None
    if evidence.start is not None:
        rows = evidence.start.codes
        coarse = in_groups(rows, targets.domain, targets.coarsening.groups)
        started = starting_pairs(targets.domain, coarse, targets.columns, _pairs(targets))
        tables[START] = _allowed(targets, started)
    tree, forest, mixture, correlations = first.tree, first.forest, first.mixture, first.correlations
    if TREE in fitted:
        tree = generator.fitted(evidence, Setting(start=tree, report=report))
        tables[TREE] = _of_tree(targets, tree)
    if FOREST in fitted:
        forest = fit_trees(
            targets,
            options=ONE_TREE,
            rng=np.random.default_rng([seed, 2]),
            start=forest,
            report=report,
        )
        tables[FOREST] = _of_forest(targets, forest)
    if MIXTURE in fitted:
        mixture = fit_mixture(
            targets,
            options=_options(targets, mixture),
            rng=np.random.default_rng([seed, 1]),
            start=mixture,
            unseen=fresh,
            report=report,
        )
        tables[MIXTURE] = _of_mixture(targets, mixture)
    if COPULA in fitted:
        correlations = fit_correlations(targets)
        tables[COPULA] = _allowed(targets, copula_tables(targets, correlations, _pairs(targets)))
    for base in [base for base in BASES if base + DENOISED in wanted and base in tables]:
        tables[base + DENOISED] = denoised(targets, tables[base])
    return Candidates(
        targets=targets,
        tables=tables,
        tree=tree,
        forest=forest,
        mixture=mixture,
        correlations=correlations,
        rows=rows,
    )


def _options(targets: Targets, start: Mixture | None) -> MixtureOptions:
    if start is not None:
        return replace(AGAIN, components=start.components, pull=start.pull)
    decided = MixtureOptions().decided(targets)
    by_records = round(BY_RECORDS * math.sqrt(max(targets.total, 1.0)))
    return replace(decided, components=min(decided.components, COMPONENTS, by_records))


def _pairs(targets: Targets) -> list[Pair]:
    return list(combinations(range(len(targets.domain)), 2))


def independent(targets: Targets) -> Tables:
    """Return the counts of all pairs under independence."""
    columns = targets.columns
    return {(a, b): np.outer(columns[a], columns[b]) / targets.total for a, b in _pairs(targets)}


def _of_tree(targets: Targets, tree: Refined) -> Tables:
    names, pairs = targets.domain.names, _pairs(targets)
    cliques = {(a, b): (names[a], names[b]) for a, b in pairs}
    inside = [pair for pair in pairs if cliques[pair] not in tree.beside]
    projected = dict(zip(inside, tree.tree.project_many([cliques[pair] for pair in inside]), strict=True))
    return {pair: projected[pair] if pair in projected else tree.beside[cliques[pair]] for pair in pairs}


def _of_forest(targets: Targets, forest: Trees) -> Tables:
    return _allowed(targets, {(a, b): forest.pair(a, b) * targets.total for a, b in _pairs(targets)})


def _of_mixture(targets: Targets, mixture: Mixture) -> Tables:
    shares = mixture.pair_shares()
    tables = {
        (a, b): shares[targets.span(a), targets.span(b)] * np.float64(targets.total)
        for a, b in _pairs(targets)
    }
    return _allowed(targets, tables) if mixture.blocks.left else tables


def _allowed(targets: Targets, tables: Tables) -> Tables:
    """Set the cells that structural zeros forbid to zero without changing the column counts."""
    if not targets.zeros:
        return tables
    names, allowed = targets.domain.names, dict[Pair, NDArray[np.float64]]()
    for (a, b), table in tables.items():
        cells = allowed_cells(targets.domain, (names[a], names[b]), targets.zeros)
        kept = np.where(cells, table, 0.0)
        if not cells.all():
            kept = fitted_to(kept, {(0,): table.sum(axis=1), (1,): table.sum(axis=0)})
        allowed[a, b] = kept * (table.sum() / kept.sum()) if kept.sum() > 0 else kept
    return allowed
