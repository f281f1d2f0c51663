"""How the default stands to our other methods, cell by cell: first, level with the first, or behind it.

A cell is a table and an epsilon. In an error of a cell the default is level with the best of the others when
it is behind by at most `LEVEL` standard errors of the difference of the two means, over the runs of each;
that may be a large gap still where runs are few or noisy, which is stated beside it. The best of many is
partly the luckiest, which is in its favour and not in ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from synth.bench.metrics import BY_NAME
from synth.bench.report.tally import Outcome, epsilons_of
from synth.bench.report.verdicts import DEFAULT
from synth.bench.trials.trial import Part

LEVEL = 2.0
GAP = 1.1
"""Times the best other beyond which being level with it is worth telling."""

PAIRS = "all-2way"
ERRORS = ("tvd2", "tvd3")


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The default in one error of one cell against the best of the others. `noise`: the standard error of the
    difference; None where either was run once. `task` and `variant` say which cell, empty for the usual."""

    table: str
    epsilon: float
    figure: str
    ours: float
    other: str
    theirs: float
    noise: float | None
    task: str = ""
    variant: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else math.inf if self.ours else 1.0

    @property
    def holds(self) -> bool:
        """Whether it is first, or level with the first."""
        return self.ours <= self.theirs + LEVEL * (self.noise or 0.0)

    @property
    def hides(self) -> bool:
        """Whether it is level by the noise of the runs alone, and behind by more than a tenth."""
        return self.holds and self.ratio > GAP

    @property
    def where(self) -> str:
        return ", ".join(filter(None, (self.table, self.task, self.variant, f"epsilon {self.epsilon:g}")))

    def __str__(self) -> str:
        apart = (
            "one run"
            if self.noise is None
            else f"{(self.ours - self.theirs) / self.noise:.1f} standard errors"
            if self.noise
            else "runs without any spread"
        )
        ours, theirs = told_apart(self.ours, self.theirs)
        return (
            f"{self.where}: {BY_NAME[self.figure].phrase} {ours}, "
            f"{self.ratio:.2f} times the {theirs} of {self.other} ({apart})."
        )


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Both with three significant digits, or as many more as it takes to tell them apart."""
    for digits in range(3, 9):
        both = f"{one:#.{digits}g}", f"{other:#.{digits}g}"
        if one == other or both[0] != both[1]:
            break
    return both


def standings(outcomes: Sequence[Outcome]) -> Iterator[Standing]:
    """Of all cells of all pairs where the default and others of ours were measured, in their usual form."""
    usual = [one for one in outcomes if one.task == PAIRS and not one.variant]
    return held(usual, lambda task: ERRORS)


def held(outcomes: Sequence[Outcome], figures_of: Callable[[str], Sequence[str]]) -> Iterator[Standing]:
    """Of all cells where the default and others of ours were measured in the same way, in the figures of
    their task."""
    ours = [one for one in outcomes if one.kind is Part.MECHANISM]
    for (table, task), variant in dict.fromkeys((one.place, one.variant) for one in ours):
        here = [one for one in ours if one.place == (table, task) and one.variant == variant]
        for epsilon in epsilons_of(here):
            at = {one.method: one for one in here if one.epsilon == epsilon}
            for figure in figures_of(task):
                best = best_other(at, figure)
                mean = at[DEFAULT].mean(figure) if best is not None else None
                theirs = best.mean(figure) if best is not None else None
                if best is None or mean is None or theirs is None:
                    continue
                yield Standing(
                    table=table,
                    epsilon=epsilon,
                    figure=figure,
                    ours=mean,
                    other=best.method,
                    theirs=theirs,
                    noise=_noise(at[DEFAULT], best, figure),
                    task="" if task == PAIRS else task,
                    variant=variant,
                )


def best_other(at: Mapping[str, Outcome], figure: str) -> Outcome | None:
    """The one with the least of a figure besides the default; None where either was not measured."""
    if DEFAULT not in at or at[DEFAULT].mean(figure) is None:
        return None
    others = [one for name, one in at.items() if name != DEFAULT and one.mean(figure) is not None]
    return min(others, key=lambda one: one.mean(figure) or 0.0, default=None)


def _noise(one: Outcome, other: Outcome, figure: str) -> float | None:
    spreads = [(o.spread(figure), len(o.figures[figure])) for o in (one, other)]
    if any(spread is None for spread, _ in spreads):
        return None
    return math.sqrt(sum(spread**2 / runs for spread, runs in spreads if spread is not None))


def held_in_all(found: Iterable[Standing]) -> dict[tuple[str, float], bool]:
    """Of every cell, a table and an epsilon, whether the default holds in all its errors."""
    cells: dict[tuple[str, float], bool] = {}
    for one in found:
        cell = one.table, one.epsilon
        cells[cell] = cells.get(cell, True) and one.holds
    return cells


def summary(found: Sequence[Standing]) -> list[str]:
    """In how many cells the default holds, by error and in all errors at once, and what it is of the best."""
    lines = []
    for figure in ERRORS:
        here = [one for one in found if one.figure == figure]
        if here:
            ratios = [one.ratio for one in here if one.ours > 0 and one.theirs > 0]
            lines.append(
                f"In {BY_NAME[figure].phrase} the default is first or level with the first in "
                f"{sum(one.holds for one in here)} of {len(here)} cells"
                + (
                    f"; its error is {geometric_mean(ratios):.2f} times that of the best other in the mean "
                    f"(geometric), at most {max(ratios):.2f} times."
                    if ratios
                    else "."
                )
            )
    cells = held_in_all(found)
    if cells:
        lines.append(f"In both at once: {sum(cells.values())} of {len(cells)}.")
    single = sum(one.noise is None for one in found)
    if single:
        which = "All" if single == len(found) else f"{single} of the {len(found)}"
        lines.append(f"{which} comparisons are of one run, so that level means first there.")
    hidden = sum(one.hides for one in found)
    if hidden:
        lines.append(f"Of those counted as level {hidden} are behind by more than a tenth.")
    return lines
