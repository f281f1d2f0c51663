"""What a benchmark says in sentences: how ours stands to the libraries, and everything in which we lose.

All of it is computed from the records; a figure that was not measured is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from synth.bench.tally import Line, Place, epsilons_of, places_of
from synth.bench.trial import Part

ERRORS = {
    "tvd2": "2-way TVD",
    "tvd3": "3-way TVD",
    "workload_error": "workload error",
    "tvd4": "4-way TVD",
    "fidelity": "fidelity error",
}
SPEEDS = {"seconds": "speed", "cpu_seconds": "speed in CPU time"}
"""What is told as how many times as fast; CPU time is what a busy machine disturbs least."""

COSTS = {"seconds": "time", "peak_mb": "peak memory"}
UNITS = {"seconds": " s", "peak_mb": " MB"}
DEFAULT = "grove"


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """Ours over theirs, or theirs over ours where more is better for us: mean and range over our runs."""

    mean: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Ratio:
        return Ratio(mean=fmean(values), low=min(values), high=max(values))

    def __str__(self) -> str:
        if self.low == self.high:
            return _number(self.mean)
        return f"{_number(self.mean)} ({_number(self.low)} to {_number(self.high)})"


@dataclass(frozen=True, kw_only=True)
class Against:
    """One of ours against the library with the least of a figure: `ratio` is theirs over ours for times
    (how many times as fast) and ours over theirs for an error."""

    figure: str
    ours: float
    spread: float | None
    peer: str
    theirs: float
    ratio: Ratio

    def __str__(self) -> str:
        if self.figure in SPEEDS:
            how = "times as fast as" if self.figure == "seconds" else "times less CPU time than"
            return f"{self.ratio} {how} {self.peer} ({self.ours:.2f} s against {self.theirs:.1f} s)"
        ours = f"{self.ours:.4f}" + ("" if self.spread is None else f" ± {self.spread:.4f}")
        return f"{ERRORS[self.figure]} {ours}, {self.ratio} times that of {self.peer} ({self.theirs:.4f})"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One of ours at a place and a promise, against the fastest library and the most accurate ones."""

    where: str
    method: str
    against: tuple[Against, ...]

    def __str__(self) -> str:
        return f"{self.where}, {self.method}: {'; '.join(str(a) for a in self.against)}."


def comparisons(lines: Sequence[Line]) -> Iterator[Comparison]:
    """For every place and promise where libraries were measured, every method of ours."""
    for place, epsilon, ours, peers in _arenas(lines):
        for line in ours:
            found = [_against(line, peers, figure) for figure in (*SPEEDS, *_errors_of(place))]
            told = tuple(a for a in found if a is not None)
            if told:
                yield Comparison(where=_where(place, epsilon), method=line.name, against=told)


def _against(line: Line, peers: Sequence[Line], figure: str) -> Against | None:
    best, mine = _least(peers, figure), line.mean(figure)
    theirs = best.mean(figure) if best else None
    if best is None or not theirs or not mine:
        return None
    values = line.figures[figure]
    return Against(
        figure=figure,
        ours=mine,
        spread=line.spread(figure),
        peer=best.name,
        theirs=theirs,
        ratio=Ratio.of([theirs / v if figure in SPEEDS else v / theirs for v in values]),
    )


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Sentences on what beats us: other libraries, other methods of ours than the default, no privacy at all
    (exact columns, independent of each other), and our own failures."""

    libraries: tuple[str, ...]
    own: tuple[str, ...]
    product: tuple[str, ...]
    failures: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return self.libraries + self.own + self.product + self.failures


def losses(lines: Sequence[Line]) -> Losses:
    """For every place and promise. Ours is the default where it was measured, else the best of ours."""
    libraries: list[str] = []
    own: list[str] = []
    product: list[str] = []
    failures: list[str] = []
    for place, epsilon, ours, peers in _arenas(lines, with_peers=False):
        where = _where(place, epsilon)
        default = [line for line in ours if line.method == DEFAULT]
        others = [line for line in ours if line.method != DEFAULT]
        exact = [line for line in lines if line.place == place and line.method == "product"]
        errors = _errors_of(place)
        for figure in (*errors, *COSTS):
            subject = _least(default or ours, figure)
            libraries.extend(_lost(where, figure, subject, _least(peers, figure)))
            if default and figure in errors:
                own.extend(_lost(where, figure, subject, _least(others, figure)))
        for figure in errors:
            product.extend(_lost(where, figure, _least(ours, figure), _least(exact, figure)))
        for line in ours:
            if line.failures:
                failures.append(
                    f"{where}: {line.name} failed {len(line.failures)} times: {line.failures[0]}."
                )
    return Losses(
        libraries=tuple(libraries), own=tuple(own), product=tuple(product), failures=tuple(failures)
    )


def _errors_of(place: Place) -> tuple[str, ...]:
    """Of a workload other than all pairs only its own error: it was asked for nothing else."""
    return ("tvd2", "tvd3", "tvd4", "fidelity") if place[1] == "all-2way" else ("workload_error",)


def _lost(where: str, figure: str, ours: Line | None, theirs: Line | None) -> Iterator[str]:
    mine, other = (line.mean(figure) if line else None for line in (ours, theirs))
    if ours is None or theirs is None or mine is None or other is None or mine <= other:
        return
    who = "the product of exact columns (not private)" if theirs.kind is Part.REFERENCE else theirs.name
    title = ERRORS.get(figure) or COSTS[figure]
    form = f"{_value(other, figure)} against {_value(mine, figure)}"
    yield f"{where}: {who} has a lower {title} than {ours.name}: {form}."


def broken(lines: Sequence[Line]) -> Iterator[str]:
    """Peers that gave nothing, with the reason."""
    for line in lines:
        if line.kind is Part.PEER and line.failures:
            place = _where(line.place, line.epsilon or 0.0)
            yield f"{place}: {line.name} gave no table in {len(line.failures)} runs: {line.failures[0]}."


def _arenas(
    lines: Sequence[Line], *, with_peers: bool = True
) -> Iterator[tuple[Place, float, list[Line], list[Line]]]:
    for place in places_of(lines):
        here = [line for line in lines if line.place == place]
        for epsilon in epsilons_of(here):
            at = [line for line in here if line.epsilon == epsilon]
            ours = [line for line in at if line.kind is Part.MECHANISM]
            peers = [line for line in at if line.kind is Part.PEER and line.figures]
            if ours and (peers or not with_peers):
                yield place, epsilon, ours, peers


def _least(lines: Sequence[Line], figure: str) -> Line | None:
    known = [line for line in lines if line.mean(figure) is not None]
    return min(known, key=lambda line: line.mean(figure) or 0.0) if known else None


def _where(place: Place, epsilon: float) -> str:
    table, task = place
    return f"{table}{'' if task == 'all-2way' else f', {task}'}, epsilon {epsilon:g}"


def _value(value: float, figure: str) -> str:
    if figure in ERRORS:
        return f"{value:.4f}"
    return f"{_number(value)}{UNITS[figure]}"


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"
