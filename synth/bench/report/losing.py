"""Where we lose, in sentences: to libraries, the default to our other methods, and by what it costs.

An error counts as behind strictly beyond the noise of the runs; what is behind by more than a tenth within
that noise is distinguished. A score of learners, queries, time and memory have a line each over all cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from synth.bench.metrics import METRICS, Metric
from synth.bench.report import verdicts
from synth.bench.report.standing import PAIRS, Standing, best_other, held, told_apart
from synth.bench.report.tally import Outcome, epsilons_of
from synth.bench.report.verdicts import DEFAULT
from synth.bench.trials.trial import Part

ERRORS = ("tvd2", "tvd3", "tvd4", "fidelity")
QUERIES = (
    *("conjunction", "query_error", "query_error3", "fidelity_apart", "query_error_apart"),
    *("query_error3_apart", "wrong"),
)
COSTS = {"seconds": "Time", "peak_mb": "Memory"}
LIBRARIES = f"To another library (ours: {DEFAULT}, the default, where it ran)"
OWN = "The default to another method of ours, beyond the noise of the runs"
SINGLE = "The default to another method of ours, by one run"
NOISE = "Behind by more than a tenth, within the noise of the runs"
OTHERWISE = "The default to another method of ours, by other figures"
PRODUCT = "The best of ours to exact columns without any relation"
FAILURES = "Runs of ours that failed"


@dataclass(frozen=True, kw_only=True)
class Lost:
    """Sentences by heading, without empty ones; `absent` says why the default is not among them."""

    by: dict[str, list[str]]
    absent: str = ""

    @property
    def all(self) -> list[str]:
        return [sentence for sentences in self.by.values() for sentence in sentences]


def lost(outcomes: Sequence[Outcome], counted: Sequence[Outcome]) -> Lost:
    """Of what counts; failures and the default are looked for in all that was run."""
    stands = list(held(counted, lambda task: ERRORS if task == PAIRS else ("workload_error",)))
    beyond = [one for one in stands if not one.holds]
    by = {
        LIBRARIES: [line for found, one in _arenas(counted) for line in _marked(found.libraries, one)],
        OWN: _sentences(one for one in beyond if one.noise is not None),
        SINGLE: _sentences(one for one in beyond if one.noise is None),
        NOISE: _sentences(one for one in stands if one.hides),
        OTHERWISE: list(otherwise(counted)),
        PRODUCT: [line for found, one in _arenas(counted) for line in _marked(found.product, one)],
        FAILURES: verdicts.losses(outcomes).failures,
    }
    return Lost(by={title: told for title, told in by.items() if told}, absent=_absent(outcomes, counted))


def _sentences(found: Iterator[Standing]) -> list[str]:
    """The largest gaps first."""
    return list(map(str, sorted(found, key=lambda one: -one.ratio)))


def _absent(outcomes: Sequence[Outcome], counted: Sequence[Outcome]) -> str:
    mine = [one for one in outcomes if one.kind is Part.MECHANISM and one.method == DEFAULT and one.figures]
    if not mine:
        return "The default was not measured here."
    if not any(one in counted for one in mine):
        return "The default has not passed the gate and counts in no comparison here."
    if all(one.method == DEFAULT for one in counted if one.kind is not Part.REFERENCE):
        return "Nothing that counts was measured beside the default."
    return ""


def _arenas(counted: Sequence[Outcome]) -> Iterator[tuple[verdicts.Losses, bool]]:
    """The losses of every place and promise, and whether all was run once there."""
    for place in dict.fromkeys(one.place for one in counted):
        here = [one for one in counted if one.place == place]
        for epsilon in epsilons_of(here):
            at = [one for one in here if one.epsilon in (epsilon, None)]
            yield verdicts.losses(at), all(one.runs <= 1 for one in at if one.epsilon == epsilon)


def _marked(sentences: Sequence[str], is_single: bool) -> list[str]:
    return [f"{one.removesuffix('.')} (one run)." if is_single else one for one in sentences]


@dataclass(frozen=True, kw_only=True)
class _Gap:
    """The default against the best other by one figure of one cell."""

    where: str
    ours: float
    theirs: float
    other: str
    runs: int

    @property
    def ratio(self) -> float:
        return max(self.ours, 1e-12) / max(self.theirs, 1e-12)


def otherwise(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A line for every score and error in which the default is behind somewhere, one for time and memory."""
    for metric in METRICS:
        more = metric.name == "macro_f1" or (metric.name.startswith("f1_") and "_real" not in metric.name)
        if not more and metric.name not in QUERIES:
            continue
        gaps = _gaps(outcomes, metric.name, more=more)
        behind = [one for one in gaps if (one.ours < one.theirs if more else one.ours > one.theirs)]
        if behind:
            worst = min(behind, key=lambda one: one.ratio) if more else max(behind, key=lambda one: one.ratio)
            yield _line(metric, behind, len(gaps), worst)
    costs = "; ".join(filter(None, (_cost(name, _gaps(outcomes, name)) for name in COSTS)))
    if costs:
        yield f"{costs}."


def _line(metric: Metric, behind: Sequence[_Gap], cells: int, worst: _Gap) -> str:
    name = metric.heading[0].upper() + metric.heading[1:]
    ours, theirs = told_apart(worst.ours, worst.theirs)
    run = ", one run" if worst.runs == 1 else ""
    return (
        f"{name}: behind in {len(behind)} of {cells} cells, most at {worst.where}: {ours} against "
        f"{theirs} of {worst.other}{run}."
    )


def _cost(name: str, gaps: Sequence[_Gap]) -> str:
    """In ratios; nothing where the default costs least everywhere."""
    if not any(one.ours > one.theirs for one in gaps):
        return ""
    worst = max(gaps, key=lambda one: one.ratio)
    mean = geometric_mean([one.ratio for one in gaps])
    run = ", one run" if worst.runs == 1 else ""
    return (
        f"{COSTS[name]}: {mean:.1f} times the least of our others in the mean over {len(gaps)} cells "
        f"(geometric), at most {worst.ratio:.1f} times ({worst.where}, {worst.other}{run})"
    )


def _gaps(outcomes: Sequence[Outcome], figure: str, *, more: bool = False) -> list[_Gap]:
    """Cell by cell, within the same task and the same variant."""
    ours = [one for one in outcomes if one.kind is Part.MECHANISM and one.epsilon is not None]
    keys = sorted({(one.table, one.task, one.variant, one.epsilon or 0.0) for one in ours})
    gaps = []
    for table, task, variant, epsilon in keys:
        cell = (table, task, variant, epsilon)
        at = {one.method: one for one in ours if (one.table, one.task, one.variant, one.epsilon) == cell}
        best = _most_other(at, figure) if more else best_other(at, figure)
        mine, theirs = (one.mean(figure) if one else None for one in (at.get(DEFAULT), best))
        if best is None or mine is None or theirs is None:
            continue
        words = (table, "" if task == PAIRS else task, variant, f"epsilon {epsilon:g}")
        runs = min(len(at[DEFAULT].figures[figure]), len(best.figures[figure]))
        where = ", ".join(filter(None, words))
        gaps.append(_Gap(where=where, ours=mine, theirs=theirs, other=best.method, runs=runs))
    return gaps


def _most_other(at: dict[str, Outcome], figure: str) -> Outcome | None:
    others = [one for name, one in at.items() if name != DEFAULT and one.mean(figure) is not None]
    return max(others, key=lambda one: one.mean(figure) or 0.0, default=None)
