"""Compare the default with our other methods and with other libraries, cell by cell.

A cell is a combination of a table, a task and an epsilon. The default is level with the best rival if its
mean is worse by at most `LEVEL` standard errors of the difference. If there are few runs, or if they are
noisy, the gap can still be large. The best of many rivals is best partly by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from synth.bench.metrics import BY_NAME
from synth.bench.privacy.gate_verdict import Gate
from synth.bench.report.tally import Outcome, epsilons_of
from synth.bench.trials.trial import PAIRS, Part

DEFAULT = "blend"
LEVEL = 2.0
ERRORS = ("tvd2", "tvd3")
COSTS = ("seconds", "peak_mb")


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The default and the best rival in one metric of one cell.

    `noise` is the standard error of the difference, None if one of them has only one run.
    """

    where: str
    cell: tuple[str, str, float]
    figure: str
    ours: float
    rival: str
    theirs: float
    noise: float | None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else math.inf if self.ours else 1.0

    @property
    def holds(self) -> bool:
        """Whether the default is better than the best rival or level with it."""
        return self.ours <= self.theirs + LEVEL * (self.noise or 0.0)

    def __str__(self) -> str:
        metric = BY_NAME[self.figure]
        noise = "one run" if self.noise is None else f"standard error {self.noise:.2g}"
        return (
            f"{self.where}: {metric.phrase} {self.ours:.3g}{metric.unit}, {self.ratio:.2f} times the "
            f"{self.theirs:.3g}{metric.unit} of {self.rival} ({noise})."
        )


def standings(outcomes: Sequence[Outcome], rivals: Part) -> Iterator[Standing]:
    """Return the comparisons of the default with our other methods, or with other libraries (which also
    include time and memory).
    """
    for (table, task), variant in dict.fromkeys((one.place, one.variant) for one in outcomes):
        here = [one for one in outcomes if one.place == (table, task) and one.variant == variant]
        figures = ERRORS if task == PAIRS else ("workload_error",)
        for epsilon in epsilons_of(here):
            at = [one for one in here if one.epsilon == epsilon]
            ours = next((one for one in at if one.method == DEFAULT and one.kind is Part.MECHANISM), None)
            others = [one for one in at if one.kind is rivals and one is not ours]
            words = (table, "" if task == PAIRS else task, variant, f"epsilon {epsilon:g}")
            for figure in (*figures, *(COSTS if rivals is Part.PEER else ())):
                means = [(mean, one) for one in others if (mean := one.mean(figure)) is not None]
                mine = ours.mean(figure) if ours else None
                if ours is None or mine is None or not means:
                    continue
                theirs, best = min(means, key=lambda found: found[0])
                yield Standing(
                    where=", ".join(filter(None, words)),
                    cell=(table, f"{task} {variant}", epsilon),
                    figure=figure,
                    ours=mine,
                    rival=best.name,
                    theirs=theirs,
                    noise=_noise(ours, best, figure),
                )


def _noise(one: Outcome, other: Outcome, figure: str) -> float | None:
    spreads = [(o.spread(figure), len(o.figures[figure])) for o in (one, other)]
    if any(spread is None for spread, _ in spreads):
        return None
    return math.sqrt(sum(spread**2 / runs for spread, runs in spreads if spread is not None))


def summary(found: Sequence[Standing]) -> Iterator[str]:
    """Return sentences on the number of cells in which the default is first or level, and on the ratio of its
    error to the error of the best rival.
    """
    for figure in dict.fromkeys(one.figure for one in found):
        here = [one for one in found if one.figure == figure]
        ratios = [one.ratio for one in here if one.ours > 0 and one.theirs > 0]
        mean = f"; {geometric_mean(ratios):.2f} times the best rival on average, at most {max(ratios):.2f}"
        yield (
            f"{BY_NAME[figure].phrase}: the default is first or level with the first in "
            f"{sum(one.holds for one in here)} of {len(here)} cells{mean if ratios else ''}."
        )
    cells = {one.cell for one in found if one.figure in ERRORS}
    behind = {one.cell for one in found if one.figure in ERRORS and not one.holds}
    if cells:
        yield f"Pairs and triples in the same cell: {len(cells - behind)} of {len(cells)} cells."
    single = sum(one.noise is None for one in found)
    if single:
        yield f"{single} of the {len(found)} comparisons are based on one run; in these, level means first."


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The findings of a benchmark: the counts, the cells in which the default loses, and the failed runs."""

    own: list[str]
    libraries: list[str]
    lost: list[str]
    failed: list[str]
    left_out: list[str]


def findings(outcomes: Sequence[Outcome], gate: Gate | None = None) -> Findings:
    """Return the findings. Entries that do not pass the gate are excluded from all comparisons. Without a
    gate, all entries are included.
    """
    counted = [one for one in outcomes if gate is None or gate.counts(one)]
    own, libraries = (list(standings(counted, rivals)) for rivals in (Part.MECHANISM, Part.PEER))
    lost = sorted((one for one in (*own, *libraries) if not one.holds), key=lambda one: -one.ratio)
    left = {one.method: gate.word(one) for one in outcomes if gate is not None and not gate.counts(one)}
    return Findings(
        own=list(summary(own)),
        libraries=list(summary(libraries)),
        lost=[str(one) for one in lost],
        failed=[
            f"{one.table}, {one.task}, epsilon {one.promise}: {one.name} failed {len(one.failures)} times: "
            f"{one.failures[0]}."
            for one in outcomes
            if one.failures
        ],
        left_out=[f"{name}: {word} at the privacy gate." for name, word in left.items()],
    )
