"""The private evaluation: compare one release with the private table. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.progress import Progress, Reporter, silent
from synth.core.table import CodeTable
from synth.evaluate.criteria import GROUPS, CriteriaGroup
from synth.evaluate.findings import (
    ColumnFinding,
    FigureFinding,
    Findings,
    GroupFinding,
    PairFinding,
    PredictionFinding,
)
from synth.evaluate.report import StewardReport, steward_report
from synth.evaluate.utility import utility

HELD_OUT = 0.2
"""Proportion of the real rows used for testing if no separate file was given."""

DIGITS = 3

MOST_CELLS = 100_000
"""Maximum number of cells, over all worst pairs, that the findings contain."""


@dataclass(frozen=True, kw_only=True)
class PredictionSplit:
    """The columns to predict, and the real rows for training and testing.

    `apart` is True if the test rows are from a file that was not used in the run. Otherwise, the test rows
    influenced the release through its noisy measurements.
    """

    targets: tuple[str, ...]
    train: CodeTable
    test: CodeTable
    apart: bool

    @staticmethod
    def of(
        real: CodeTable, held_out: CodeTable | None = None, *, targets: Sequence[str], seed: int = 0
    ) -> PredictionSplit:
        """Use a separate file for testing or, if there is none, a random fifth of the real rows.

        Raises: `Mistake` if there are no rows to train or test on.
        """
        if held_out is None:
            order = np.random.default_rng(seed).permutation(real.rows)
            first = round(HELD_OUT * real.rows)
            test, train = (CodeTable(real.domain, real.codes[o]) for o in (order[:first], order[first:]))
        else:
            test, train = held_out, real
        if min(train.rows, test.rows) == 0:
            raise Mistake("A prediction needs real rows for training and other real rows for testing.")
        return PredictionSplit(targets=tuple(targets), train=train, test=test, apart=held_out is not None)


def examine(
    real: CodeTable,
    synthetic: CodeTable,
    *,
    run: str,
    ordered: frozenset[str],
    split: PredictionSplit | None = None,
    seed: int = 0,
    report: Reporter = silent,
) -> Findings:
    """Compare the release with the private table. `report` receives progress messages but no results.

    Raises: the errors of `steward_report` and `utility`. An error raised by `report` ends the comparison.
    """
    parts = 1 if split is None else 1 + len(split.targets)
    report(Progress(stage="compare", done=0.0, fact="comparing columns, pairs and triples"))
    compared = steward_report(real, synthetic, ordered=ordered, seed=seed)
    scores = []
    if split is not None:
        for place, target in enumerate(split.targets, start=1):
            report(Progress(stage="predict", done=place / parts, fact="training models to predict a column"))
            scores.append(_score(target, split, synthetic, ordered=ordered, seed=seed))
    return _findings(real, synthetic, compared, run=run, scores=tuple(scores))


def _score(
    target: str, split: PredictionSplit, synthetic: CodeTable, *, ordered: frozenset[str], seed: int
) -> PredictionFinding:
    scored = utility(
        target, synthetic=synthetic, held_out=split.test, train=split.train, ordered=ordered, seed=seed
    )
    measure = "accuracy" if scored.task == "classification" else "r2"
    real = scored.real or scored.guess  # `PredictionSplit.of` ensures that there are rows for training
    return PredictionFinding(
        target=target,
        measure=measure,
        synthetic=_round(scored.synthetic[measure]),
        real=_round(real[measure]),
        guess=_round(scored.guess[measure]),
        apart=split.apart,
    )


def _findings(
    real: CodeTable,
    synthetic: CodeTable,
    compared: StewardReport,
    *,
    run: str,
    scores: tuple[PredictionFinding, ...],
) -> Findings:
    fidelity = compared.fidelity
    columns = [
        ColumnFinding(
            name=name, real=_shares(real, name), synthetic=_shares(synthetic, name), tvd=_round(distance)
        )
        for (name,), distance in _worst_first(fidelity.one)
    ]
    pairs = _pairs(real, synthetic, fidelity.two)
    return Findings(
        run=run,
        columns=tuple(columns),
        pairs=tuple(pairs),
        mean={1: _round(fidelity.mean1), 2: _round(fidelity.mean2), 3: _round(fidelity.mean3)},
        subsample={k: _round(share) for k, share in compared.subsample.items()},
        groups=tuple(_group(group, compared.figures) for group in GROUPS),
        scores=scores,
    )


def _pairs(real: CodeTable, synthetic: CodeTable, distances: dict[Clique, float]) -> list[PairFinding]:
    """Return all pairs, the worst one first. Cells are included for the worst pairs, up to `MOST_CELLS` in
    total.
    """
    found, cells = [], 0
    for clique, distance in _worst_first(distances):
        cells += real.domain.size(clique)
        shares = (
            {}
            if cells > MOST_CELLS
            else {"real": _cells(real, clique), "synthetic": _cells(synthetic, clique)}
        )
        found.append(PairFinding(left=clique[0], right=clique[1], tvd=_round(distance), **shares))
    return found


def _cells(table: CodeTable, clique: Clique) -> tuple[float, ...]:
    return tuple(_round(count / table.rows) for count in table.project(clique).flat)


def _group(group: CriteriaGroup, values: Mapping[str, float | None]) -> GroupFinding:
    figures = [
        FigureFinding(name=c.name, title=c.title, help=c.help, value=_rounded(values[c.name]))
        for c in group.criteria
    ]
    return GroupFinding(title=group.title, note=group.note, figures=tuple(figures))


def _rounded(error: float | None) -> float | None:
    return None if error is None else _round(error, 4)


def _worst_first(distances: dict[Clique, float]) -> list[tuple[Clique, float]]:
    return sorted(distances.items(), key=lambda item: -item[1])


def _shares(table: CodeTable, name: str) -> tuple[float, ...]:
    return tuple(_round(count / table.rows) for count in table.project((name,)))


def _round(value: float, digits: int = DIGITS) -> float:
    return round(float(value), digits)
