"""How the default stands to our other methods, cell by cell: first, level with the first, or behind it.

A cell is a table and an epsilon. In an error of a cell the default is level with the best of the others when
it is behind by at most `LEVEL` standard errors of the difference of the two means, over the runs of each. The
best of many is partly the luckiest, which is in its favour and not in ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from synth.bench.metrics import BY_NAME
from synth.bench.tally import Outcome, epsilons_of, places_of
from synth.bench.trial import Part
from synth.bench.verdicts import DEFAULT

LEVEL = 2.0
ERRORS = ("tvd2", "tvd3")


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The default in one error of one cell against the best of the others. `noise`: the standard error of the
    difference; None where either was run once."""

    table: str
    epsilon: float
    figure: str
    ours: float
    other: str
    theirs: float
    noise: float | None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def holds(self) -> bool:
        """Whether it is first, or level with the first."""
        return self.ours <= self.theirs + LEVEL * (self.noise or 0.0)

    def __str__(self) -> str:
        apart = (
            "one run"
            if self.noise is None
            else f"{(self.ours - self.theirs) / self.noise:.1f} standard errors"
        )
        return (
            f"{self.table}, epsilon {self.epsilon:g}: {BY_NAME[self.figure].phrase} {self.ours:.4f}, "
            f"{self.ratio:.2f} times the {self.theirs:.4f} of {self.other} ({apart})."
        )


def standings(outcomes: Sequence[Outcome]) -> Iterator[Standing]:
    """Of all cells of all pairs where the default and others of ours were measured, in their usual form."""
    for place in places_of(outcomes):
        here = [
            one
            for one in outcomes
            if one.place == place
            and place[1] == "all-2way"
            and one.kind is Part.MECHANISM
            and not one.variant
        ]
        for epsilon in epsilons_of(here):
            at = {one.method: one for one in here if one.epsilon == epsilon}
            for figure in ERRORS:
                means = {
                    method: error for method, one in at.items() if (error := one.mean(figure)) is not None
                }
                ours = means.pop(DEFAULT, None)
                if ours is None or not means:
                    continue
                best = min(means, key=lambda method: means[method])
                yield Standing(
                    table=place[0],
                    epsilon=epsilon,
                    figure=figure,
                    ours=ours,
                    other=best,
                    theirs=means[best],
                    noise=_noise(at[DEFAULT], at[best], figure),
                )


def _noise(one: Outcome, other: Outcome, figure: str) -> float | None:
    spreads = [(o.spread(figure), len(o.figures[figure])) for o in (one, other)]
    if any(spread is None for spread, _ in spreads):
        return None
    return math.sqrt(sum(spread**2 / runs for spread, runs in spreads if spread is not None))


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
    cells: dict[tuple[str, float], bool] = {}
    for one in found:
        cell = one.table, one.epsilon
        cells[cell] = cells.get(cell, True) and one.holds
    if cells:
        lines.append(f"In both at once: {sum(cells.values())} of {len(cells)}.")
    return lines
