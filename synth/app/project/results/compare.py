"""Compare finished runs using public figures only.

Everything is read from bundles. Tables are compared by the measured errors and intervals of their accuracy
checks. Choosing a run by these figures is post-processing and uses no budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np

from synth.analyst.drift import Drift
from synth.analyst.kit import open_release
from synth.app.jobs import runner
from synth.app.jobs.spec import RunSpec, StudyKind, StudyOrder
from synth.app.jobs.store import State, Task
from synth.app.maps.atlas import Atlas
from synth.app.project.results import pairs, released
from synth.app.project.results.pairs import PairView
from synth.app.project.results.released import ColumnView, ReleaseView
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.core.documents import read_as
from synth.core.domain import Clique
from synth.release.layout import CHECKSUMS
from synth.release.verdict.figures import Figure


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One run compared with others.

    `bound` is the mean bound over the pairs that all runs have in common, as a share of rows, or None if
    there is no such pair. A pair without a bound counts as 1. `unbound` is the number of pairs without a
    bound.
    """

    run: SyntheticTable
    release: ReleaseView
    bound: float | None
    unbound: int

    def mean(self, use: str) -> Figure | None:
        """Return the mean error for a use (a key of `verdict.sentences.USES`), or None if it was not
        measured.
        """
        verdict = self.release.verdict
        return None if verdict is None else verdict.means.get(use)


@dataclass(frozen=True, kw_only=True)
class Gap:
    """The interval for the difference between the error of a run and the error of the best run."""

    run: SyntheticTable
    low: float
    high: float

    @property
    def is_real(self) -> bool:
        """Return whether the difference is larger than noise can explain."""
        return self.low > 0


def gaps(standings: Sequence[Standing], use: str) -> tuple[SyntheticTable, tuple[Gap, ...]] | None:
    """Return the run with the lowest mean error for a use, and the gaps of the others, or None if fewer than
    two runs measured that error. The noise of two measurements is independent.

    All intervals hold together: any two of k runs may be the best and another, so each interval has the
    confidence c^(1 / m) of m = k (k - 1) / 2 differences (Sidak 1967). If a limit includes the distance to
    another table (`Figure.apart`), that distance is added to the interval.
    """
    known = [(s, figure) for s in standings if (figure := s.mean(use)) is not None]
    if len(known) < 2:
        return None
    confidence = standings[0].release.confidence
    best, least = min(known, key=lambda one: one[1].interval(confidence)[1])
    each, found = confidence ** (1 / math.comb(len(known), 2)), []
    for other, figure in known:
        if other is not best:
            difference = Figure(
                estimate=figure.estimate - least.estimate,
                sd=math.hypot(figure.sd, least.sd),
                apart=figure.apart + least.apart,
            )
            found.append(Gap(run=other.run, **dict(zip(("low", "high"), difference.span(each), strict=True))))
    return best.run, tuple(found)


def standings(runs: Sequence[SyntheticTable]) -> tuple[Standing, ...]:
    """Compare runs, and keep their order. Raises: `Mistake` for a damaged bundle."""
    read = [released.read(one.folder) for one in runs]
    common = _common_pairs(read)
    return tuple(
        Standing(
            run=one,
            release=release,
            bound=_mean_bound(release, common),
            unbound=sum(pair.share is None for pair in release.pairs if pair.name in common),
        )
        for one, release in zip(runs, read, strict=True)
    )


def same_column(
    standings: Sequence[Standing], name: str
) -> tuple[list[tuple[SyntheticTable, ColumnView]], list[SyntheticTable]]:
    """Return one column for every run in which it has the labels of the newest run, and the other runs."""
    views = [(s.run, next((v for v in s.release.columns if v.name == name), None)) for s in standings]
    newest = views[-1][1]
    alike = [
        (run, v) for run, v in views if v is not None and newest is not None and v.labels == newest.labels
    ]
    return alike, [run for run, v in views if all(v is not other for _, other in alike)]


def same_pair(
    standings: Sequence[Standing], clique: Clique
) -> tuple[list[tuple[SyntheticTable, PairView]], list[SyntheticTable]]:
    """Return one pair for every run in which it has the labels of the newest run, and the other runs."""
    views = {s.run: _pair_of(s, clique) for s in standings}
    newest = views[standings[-1].run]
    alike = [(run, v) for run, v in views.items() if v is not None and newest is not None and _fit(v, newest)]
    return alike, [run for run in views if all(run is not other for other, _ in alike)]


def packages(runs: Sequence[SyntheticTable], orders: Sequence[RunSpec]) -> dict[Path, str]:
    """Return the names of all release packages that have their own measurements: first the packages from
    which runs started, and then those of the runs, in their order.
    """
    started = {
        Path(spec.start): f"Start: {spec.start_source or Path(spec.start).name}"
        for spec in orders
        if spec.start
    }
    found = {path: name for path, name in started.items() if path.is_dir() or path.suffix == ".zip"}
    return found | {one.folder: one.label for one in runs if one.run == one.source}


def drift_of(before: Path, after: Path, *, is_population: bool) -> Drift:
    """Return what changed between two release packages. Raises: `Mistake` if they cannot be compared."""
    stamps = tuple(_stamp(path) for path in (before, after))
    return _drift_of(before, after, is_population, stamps)


def _stamp(path: Path) -> int:
    place = path / CHECKSUMS if path.is_dir() else path
    return place.stat().st_mtime_ns if place.exists() else 0


@lru_cache(maxsize=8)
def _drift_of(before: Path, after: Path, is_population: bool, stamps: tuple[int, ...]) -> Drift:
    return open_release(before).drift(open_release(after), population=is_population)


def _pair_of(standing: Standing, clique: Clique) -> PairView | None:
    has_it = pairs.found(standing.release.pairs, *clique) is not None
    return pairs.view(standing.run.folder, clique) if has_it else None


def _fit(one: PairView, other: PairView) -> bool:
    ours, theirs = one.own, other.own
    in_order = one.bound.clique == other.bound.clique
    return in_order and (ours.down, ours.across) == (theirs.down, theirs.across)


def differing_columns(standings: Sequence[Standing]) -> tuple[str, ...]:
    """Return the columns in which two runs differ by more than their noise, with the largest difference
    first.

    Two runs differ if the synthetic counts of a value are further apart than the sum of both whiskers. Runs
    without noisy counts of the column are ignored.
    """
    found: dict[str, float] = {}
    for view in standings[-1].release.columns:
        alike, _ = same_column(standings, view.name)
        known = [v for _, v in alike if v.noisy is not None]
        for one, other in combinations(known, 2):
            apart = float(np.abs(np.subtract(one.synthetic, other.synthetic)).max())
            far = apart / max(math.hypot(max(one.whisker), max(other.whisker)), 1e-9)
            if far > 1.0:
                found[view.name] = max(found.get(view.name, 0.0), far)
    return tuple(sorted(found, key=lambda name: -found[name]))


def map_of(project: Project) -> Task:
    """Return the task of the project's map of synthetic tables."""
    return Task(project.folder / "studies" / "atlas", "study")


def draw_map(project: Project, runs: Sequence[SyntheticTable], *, rows: int) -> None:
    """Request the map, with this number of rows from each table. Raises: `Mistake` for fewer than two runs,
    or while another map is being drawn.
    """
    order = StudyOrder(kind=StudyKind.ATLAS, runs=tuple(one.run for one in runs), rows=rows)
    runner.begin(map_of(project), asdict(order))


def drawn_map(project: Project) -> tuple[Atlas, tuple[str, ...]] | None:
    """Return the finished map and the runs that are not on it, or None if there is no map."""
    place = map_of(project)
    status = runner.find_status(place)
    if status is None or status.state is not State.DONE:
        return None
    try:
        answer = place.answer() or {}
        return read_as(Atlas, answer["atlas"]), tuple(answer["unmapped"])
    except (KeyError, TypeError, ValueError):
        return None


def _common_pairs(releases: Sequence[ReleaseView]) -> frozenset[str]:
    """Return the names of the pairs that every release has."""
    return frozenset(set.intersection(*({pair.name for pair in release.pairs} for release in releases)))


def _mean_bound(release: ReleaseView, common: frozenset[str]) -> float | None:
    shares = [1.0 if pair.share is None else pair.share for pair in release.pairs if pair.name in common]
    return float(np.mean(shares)) if shares else None
