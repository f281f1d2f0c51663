"""Compare finished runs by public numbers only.

Everything is read from bundles. A table is judged by noisy measurements that its model did not use
(`release.checks.unseen`): hold-out measurements, and those of the other runs. Choosing by these numbers is
post-processing and uses no budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd

from synth.app.jobs import runner
from synth.app.jobs.spec import StudyKind, StudyOrder
from synth.app.jobs.store import State, Task
from synth.app.maps.atlas import Atlas
from synth.app.project.results import bundles, pairs, released
from synth.app.project.results.pairs import PairView
from synth.app.project.results.released import ColumnView, ReleaseView
from synth.app.project.runs import SyntheticTable
from synth.app.project.store import Project
from synth.core.axis import Axis, domain_of
from synth.core.codebook import Codebook
from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.release import parquet
from synth.release.checks.unseen import Contender, Missed, Pools, missed
from synth.release.codes import table_codes


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One run next to the others.

    `columns` and `pairs` are its errors on measurements it did not use, None if there are none. `bound` is
    the mean bound over the pairs that every run has, as a share of rows; a pair without a bound counts as 1;
    None without a pair. `unbound` counts pairs without a bound.
    """

    run: SyntheticTable
    release: ReleaseView
    columns: Missed | None
    pairs: Missed | None
    bound: float | None
    unbound: int


@dataclass(frozen=True, kw_only=True)
class Errors:
    """The errors of a table on columns and pairs its model did not use, None if there are none."""

    columns: Missed | None
    pairs: Missed | None

    def of(self, columns: int) -> Missed | None:
        """Return the error of tables of one or two columns."""
        return self.pairs if columns == 2 else self.columns


def errors(runs: Sequence[SyntheticTable]) -> dict[str, Errors]:
    """Return the errors of runs on measurements that are new to all of them. Raises: as `standings`."""
    return _errors(tuple(runs), tuple(bundles.checksums_of(one.folder) for one in runs))


@lru_cache(maxsize=32)
def _errors(runs: tuple[SyntheticTable, ...], checksums: tuple[bytes, ...]) -> dict[str, Errors]:
    by_run = {one.source: bundles.evidence_of(one.folder) for one in runs}
    contenders = [_contender(one, by_run) for one in runs]
    pools = {run: Pools.of(evidence) for run, evidence in by_run.items()}
    columns, both = (missed(contenders, pools, columns=k) for k in (1, 2))
    return {one.run: Errors(columns=columns[one.run], pairs=both[one.run]) for one in runs}


def standings(runs: Sequence[SyntheticTable]) -> tuple[Standing, ...]:
    """Compare runs, in their order. Raises: `Mistake` for a damaged bundle.

    The last comparisons are cached under the checksums of their bundles; all of it is public.
    """
    return _standings(tuple(runs), tuple(bundles.checksums_of(one.folder) for one in runs))


@lru_cache(maxsize=8)
def _standings(runs: tuple[SyntheticTable, ...], checksums: tuple[bytes, ...]) -> tuple[Standing, ...]:
    read = {one.run: released.read(one.folder) for one in runs}
    found = _errors(runs, checksums)
    common = _common_pairs(list(read.values()))
    return tuple(
        Standing(
            run=one,
            release=read[one.run],
            columns=found[one.run].columns,
            pairs=found[one.run].pairs,
            bound=_mean_bound(read[one.run], common),
            unbound=sum(pair.share is None for pair in read[one.run].pairs if pair.name in common),
        )
        for one in runs
    )


def same_column(
    standings: Sequence[Standing], name: str
) -> tuple[list[tuple[SyntheticTable, ColumnView]], list[SyntheticTable]]:
    """Return one column of every run that has it with the newest run's labels, and the other runs."""
    views = [(s.run, next((v for v in s.release.columns if v.name == name), None)) for s in standings]
    newest = views[-1][1]
    alike = [
        (run, v) for run, v in views if v is not None and newest is not None and v.labels == newest.labels
    ]
    return alike, [run for run, v in views if all(v is not other for _, other in alike)]


def same_pair(
    standings: Sequence[Standing], clique: Clique
) -> tuple[list[tuple[SyntheticTable, PairView]], list[SyntheticTable]]:
    """Return one pair of every run that has it with the newest run's labels, and the other runs."""
    views = {s.run: _pair_of(s, clique) for s in standings}
    newest = views[standings[-1].run]
    alike = [(run, v) for run, v in views.items() if v is not None and newest is not None and _fit(v, newest)]
    return alike, [run for run in views if all(run is not other for other, _ in alike)]


def _pair_of(standing: Standing, clique: Clique) -> PairView | None:
    has_it = pairs.found(standing.release.pairs, *clique) is not None
    return pairs.view(standing.run.folder, clique) if has_it else None


def _fit(one: PairView, other: PairView) -> bool:
    ours, theirs = one.own, other.own
    in_order = one.bound.clique == other.bound.clique
    return in_order and (ours.down, ours.across) == (theirs.down, theirs.across)


def differing_columns(standings: Sequence[Standing]) -> tuple[str, ...]:
    """Return the columns in which two runs differ by more than their noise, the largest difference first.

    Two runs differ if the synthetic counts of a value are further apart than both whiskers combined; runs
    without a noisy count of the column are ignored.
    """
    found: dict[str, float] = {}
    for view in standings[-1].release.columns:
        alike, _ = same_column(standings, view.name)
        known = [v for _, v in alike if v.noisy is not None]
        for one, other in combinations(known, 2):
            apart = float(np.abs(np.subtract(one.synthetic, other.synthetic)).max())
            far = apart / max(math.hypot(one.whisker, other.whisker), 1e-9)
            if far > 1.0:
                found[view.name] = max(found.get(view.name, 0.0), far)
    return tuple(sorted(found, key=lambda name: -found[name]))


def judged(
    runs: Sequence[SyntheticTable], chosen: Sequence[SyntheticTable], *, columns: int
) -> list[tuple[SyntheticTable, Missed]]:
    """Return the errors of all `runs` on tables of that many columns; of the `chosen` ones if no measurement
    is new to all; empty if none is new to these either."""
    for some in (runs, chosen):
        found = errors(some)
        known = [(one, off) for one in some if (off := found[one.run].of(columns)) is not None]
        if known:
            return known
    return []


def map_of(project: Project) -> Task:
    """Return the task of the project's map of synthetic tables."""
    return Task(project.folder / "studies" / "atlas", "study")


def draw_map(project: Project, runs: Sequence[SyntheticTable], *, rows: int) -> None:
    """Order the map, with that many rows of each table. Raises: `Mistake` for fewer than two runs, or while
    one is being drawn."""
    order = StudyOrder(kind=StudyKind.ATLAS, runs=tuple(one.run for one in runs), rows=rows)
    runner.begin(map_of(project), asdict(order))


def drawn_map(project: Project) -> tuple[Atlas, tuple[str, ...]] | None:
    """Return the finished map with the runs that are not on it; None without one."""
    place = map_of(project)
    status = runner.find_status(place)
    if status is None or status.state is not State.DONE:
        return None
    try:
        answer = place.answer() or {}
        return Atlas.from_json(answer["atlas"]), tuple(answer["unmapped"])
    except (KeyError, TypeError, ValueError):
        return None


def _contender(one: SyntheticTable, by_run: dict[str, Evidence]) -> Contender:
    """Return the run's table in the encoding of every run; each encoding is done once."""
    bundle = bundles.opened(one.folder)
    frame = parquet.read(bundle.files[bundle.layout.parquet])
    own = {axis.name: axis for axis in by_run[one.source].codebook.axes}
    tables: dict[str, CodeTable] = {}
    for run, evidence in by_run.items():
        alike = next((r for r in tables if by_run[r].codebook.has_codes_of(evidence.codebook)), None)
        tables[run] = tables[alike] if alike is not None else _coded(frame, own, evidence.codebook)
    return Contender(name=one.run, run=one.source, tables=tables)


def _coded(frame: pd.DataFrame, own: dict[str, Axis], codebook: Codebook) -> CodeTable:
    """Encode the columns that both runs declare with the same values or range."""
    axes = [axis for axis in codebook.axes if axis.name in own and _comparable(own[axis.name], axis)]
    names = {axis.name for axis in axes}
    groupings = [grouping for grouping in codebook.groupings if grouping.column in names]
    if not axes:
        return CodeTable(domain_of([]), np.empty((len(frame), 0), dtype=np.int64))
    return CodeTable(domain_of(axes, groupings), table_codes(frame, axes, groupings))


def _comparable(one: Axis, other: Axis) -> bool:
    if one.column.kind is not other.column.kind or one.labels != other.labels:
        return False
    return (*one.edges[:1], *one.edges[-1:]) == (*other.edges[:1], *other.edges[-1:])


def _common_pairs(releases: Sequence[ReleaseView]) -> frozenset[str]:
    """Return the names of the pairs that every release has."""
    return frozenset(set.intersection(*({pair.name for pair in release.pairs} for release in releases)))


def _mean_bound(release: ReleaseView, common: frozenset[str]) -> float | None:
    shares = [1.0 if pair.share is None else pair.share for pair in release.pairs if pair.name in common]
    return float(np.mean(shares)) if shares else None
