"""The work behind the steward's view: one release against the private table. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from synth.errors import Mistake
from synth.evaluate.criteria import GROUPS, CriteriaGroup
from synth.evaluate.findings import (
    ColumnFinding,
    FigureFinding,
    Findings,
    GroupFinding,
    PairFinding,
    Score,
)
from synth.evaluate.report import StewardReport, steward_report
from synth.evaluate.utility import utility
from synth.progress import Progress, Reporter, silent
from synth.table import CodeTable

HELD_OUT = 0.2
"""Share of the real rows that test a prediction where no other file was given."""

DIGITS = 3


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Columns to predict, real rows to learn from and real rows to be tested on. `apart` says that the test
    rows are of a file that never entered the run; otherwise they touched the release, through its noise."""

    targets: tuple[str, ...]
    train: CodeTable
    test: CodeTable
    apart: bool

    @staticmethod
    def of(
        real: CodeTable, held_out: CodeTable | None = None, *, targets: Sequence[str], seed: int = 0
    ) -> Trial:
        """With a file of its own, or with a random fifth of the real rows set aside.

        Raises: `Mistake` if that leaves no rows to learn from or to test on.
        """
        if held_out is None:
            order = np.random.default_rng(seed).permutation(real.rows)
            first = round(HELD_OUT * real.rows)
            test, train = (CodeTable(real.domain, real.codes[o]) for o in (order[:first], order[first:]))
        else:
            test, train = held_out, real
        if min(train.rows, test.rows) == 0:
            raise Mistake("A prediction needs real rows to learn from and others to be tested on.")
        return Trial(targets=tuple(targets), train=train, test=test, apart=held_out is not None)


def examine(
    real: CodeTable,
    synthetic: CodeTable,
    *,
    run: str,
    ordered: frozenset[str],
    trial: Trial | None = None,
    seed: int = 0,
    report: Reporter = silent,
) -> Findings:
    """Compare; `report` hears how far the work is and nothing it found.

    Raises: as `steward_report` and `utility`; what `report` raises ends the work.
    """
    parts = 1 if trial is None else 1 + len(trial.targets)
    report(Progress(stage="compare", done=0.0, fact="comparing columns, pairs and triples"))
    told = steward_report(real, synthetic, ordered=ordered, seed=seed)
    scores = []
    if trial is not None:
        for place, target in enumerate(trial.targets, start=1):
            report(Progress(stage="predict", done=place / parts, fact="learning to predict a column"))
            scores.append(_score(target, trial, synthetic, ordered=ordered, seed=seed))
    return _findings(real, synthetic, told, run=run, scores=tuple(scores))


def _score(target: str, trial: Trial, synthetic: CodeTable, *, ordered: frozenset[str], seed: int) -> Score:
    found = utility(
        target, synthetic=synthetic, held_out=trial.test, train=trial.train, ordered=ordered, seed=seed
    )
    measure = "accuracy" if found.task == "classification" else "r2"
    real = found.real or found.guess  # `Trial.of` sees to it that there are rows to learn from
    return Score(
        target=target,
        measure=measure,
        synthetic=_round(found.synthetic[measure]),
        real=_round(real[measure]),
        guess=_round(found.guess[measure]),
        apart=trial.apart,
    )


def _findings(
    real: CodeTable, synthetic: CodeTable, told: StewardReport, *, run: str, scores: tuple[Score, ...]
) -> Findings:
    fidelity = told.fidelity
    columns = [
        ColumnFinding(
            name=name, real=_shares(real, name), synthetic=_shares(synthetic, name), tvd=_round(distance)
        )
        for (name,), distance in _worst_first(fidelity.one)
    ]
    pairs = [
        PairFinding(left=a, right=b, tvd=_round(distance)) for (a, b), distance in _worst_first(fidelity.two)
    ]
    return Findings(
        run=run,
        columns=tuple(columns),
        pairs=tuple(pairs),
        mean={1: _round(fidelity.mean1), 2: _round(fidelity.mean2), 3: _round(fidelity.mean3)},
        subsample={k: _round(share) for k, share in told.subsample.items()},
        groups=tuple(_group(group, told.figures) for group in GROUPS),
        scores=scores,
    )


def _group(group: CriteriaGroup, values: Mapping[str, float | None]) -> GroupFinding:
    figures = [
        FigureFinding(name=c.name, title=c.title, help=c.help, value=_rounded(values[c.name]))
        for c in group.criteria
    ]
    return GroupFinding(title=group.title, note=group.note, figures=tuple(figures))


def _rounded(error: float | None) -> float | None:
    return None if error is None else _round(error, 4)


def _worst_first(found: dict[tuple[str, ...], float]) -> list[tuple[tuple[str, ...], float]]:
    return sorted(found.items(), key=lambda item: -item[1])


def _shares(table: CodeTable, name: str) -> tuple[float, ...]:
    return tuple(_round(count / table.rows) for count in table.project((name,)))


def _round(value: float, digits: int = DIGITS) -> float:
    return round(float(value), digits)
