"""What a benchmark says in sentences: how ours stands to the libraries, and everything in which we lose.

All of it is computed from the records; a figure that was not measured is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from synth.bench.metrics import BY_NAME
from synth.bench.report.tally import Outcome, Place, epsilons_of, places_of
from synth.bench.trials.trial import Part

SPEEDS = {"seconds": "times as fast as", "cpu_seconds": "times less CPU time than"}
"""What is stated as how many times as fast; CPU time is what a busy machine disturbs least."""

_COSTS = ("seconds", "peak_mb")
DEFAULT = "blend"


@dataclass(frozen=True, kw_only=True)
class Against:
    """One of ours against the library with the least of a figure: `ratios`, one for each of our runs, are
    theirs over ours for times (how many times as fast) and ours over theirs for an error."""

    figure: str
    ours: float
    spread: float | None
    peer: str
    theirs: float
    ratios: tuple[float, ...]

    @property
    def times(self) -> str:
        """Mean and range of the ratios."""
        mean, low, high = (_number(v) for v in (fmean(self.ratios), min(self.ratios), max(self.ratios)))
        return mean if min(self.ratios) == max(self.ratios) else f"{mean} ({low} to {high})"

    @property
    def is_lost(self) -> bool:
        return fmean(self.ratios) < 1 if self.figure in SPEEDS else fmean(self.ratios) > 1

    def __str__(self) -> str:
        if self.figure in SPEEDS:
            both = f"{self.ours:.2f} s against {self.theirs:.1f} s"
            return f"{self.times} {SPEEDS[self.figure]} {self.peer} ({both})"
        ours = f"{self.ours:.4f}" + ("" if self.spread is None else f" ± {self.spread:.4f}")
        phrase = BY_NAME[self.figure].phrase
        return f"{phrase} {ours}, {self.times} times that of {self.peer} ({self.theirs:.4f})"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One of ours at a place and a promise, against the fastest library and the most accurate ones."""

    where: str
    method: str
    against: dict[str, Against]

    def __str__(self) -> str:
        return f"{self.where}, {self.method}: {'; '.join(map(str, self.against.values()))}."


def comparisons(outcomes: Sequence[Outcome]) -> Iterator[Comparison]:
    """For every place and promise where libraries were measured, every method of ours."""
    for place, epsilon, ours, peers in _arenas(outcomes):
        for one in ours if peers else ():
            figures = (*SPEEDS, *_errors_of(place))
            against = {figure: a for figure in figures if (a := _against(one, peers, figure)) is not None}
            if against:
                yield Comparison(where=_where(place, epsilon), method=one.name, against=against)


def _against(one: Outcome, peers: Sequence[Outcome], figure: str) -> Against | None:
    best, ours = _least(peers, figure), one.mean(figure)
    theirs = best.mean(figure) if best else None
    if best is None or not theirs or not ours:
        return None
    ratios = tuple(theirs / v if figure in SPEEDS else v / theirs for v in one.figures[figure])
    return Against(
        figure=figure, ours=ours, spread=one.spread(figure), peer=best.name, theirs=theirs, ratios=ratios
    )


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Sentences on what beats us: other libraries, other methods of ours than the default, no privacy at all
    (exact columns, independent of each other), and our own failures."""

    libraries: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    product: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.libraries, *self.own, *self.product, *self.failures)


def losses(outcomes: Sequence[Outcome]) -> Losses:
    """For every place and promise. Ours is the default where it was measured, else the best of ours."""
    lost = Losses()
    for place, epsilon, ours, peers in _arenas(outcomes):
        where, errors = _where(place, epsilon), _errors_of(place)
        default = [one for one in ours if one.method == DEFAULT]
        others = [one for one in ours if one.method != DEFAULT]
        exact = [one for one in outcomes if one.place == place and one.method == "product"]
        for figure in (*errors, *_COSTS):
            lost.libraries.extend(_lost(where, figure, default or ours, peers))
        for figure in errors:
            lost.own.extend(_lost(where, figure, default, others))
            lost.product.extend(_lost(where, figure, ours, exact))
        lost.failures.extend(
            f"{where}: {one.name} failed {len(one.failures)} times: {one.failures[0]}."
            for one in ours
            if one.failures
        )
    return lost


def broken(outcomes: Sequence[Outcome]) -> list[str]:
    """Peers that gave nothing, with the reason."""
    return [
        f"{_where(one.place, one.epsilon or 0.0)}: {one.name} gave no table in {len(one.failures)} runs: "
        f"{one.failures[0]}."
        for one in outcomes
        if one.kind is Part.PEER and one.failures
    ]


def _errors_of(place: Place) -> tuple[str, ...]:
    """Of a workload other than all pairs only its own error: it was asked for nothing else."""
    return ("tvd2", "tvd3", "tvd4", "fidelity") if place[1] == "all-2way" else ("workload_error",)


def _lost(where: str, figure: str, ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> Iterator[str]:
    """The least of ours against the least of theirs."""
    mine, other = _least(ours, figure), _least(theirs, figure)
    a, b = (one.mean(figure) if one else None for one in (mine, other))
    if mine is None or other is None or a is None or b is None or a <= b:
        return
    who = "the product of exact columns (not private)" if other.kind is Part.REFERENCE else other.name
    metric = BY_NAME[figure]
    low, high = ((f"{v:.4f}" if metric.is_error else f"{_number(v)}{metric.unit}") for v in (b, a))
    yield f"{where}: {who} has a lower {metric.phrase} than {mine.name}: {low} against {high}."


def _arenas(
    outcomes: Sequence[Outcome],
) -> Iterator[tuple[Place, float, list[Outcome], list[Outcome]]]:
    """Every place and promise at which we were measured: ours, and the libraries that gave a table."""
    for place in places_of(outcomes):
        here = [one for one in outcomes if one.place == place]
        for epsilon in epsilons_of(here):
            at = [one for one in here if one.epsilon == epsilon]
            ours = [one for one in at if one.kind is Part.MECHANISM]
            if ours:
                yield place, epsilon, ours, [one for one in at if one.kind is Part.PEER and one.figures]


def _least(outcomes: Sequence[Outcome], figure: str) -> Outcome | None:
    measured = [one for one in outcomes if one.mean(figure) is not None]
    return min(measured, key=lambda one: one.mean(figure) or 0.0, default=None)


def _where(place: Place, epsilon: float) -> str:
    table, task = place
    return f"{table}{'' if task == 'all-2way' else f', {task}'}, epsilon {epsilon:g}"


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"
