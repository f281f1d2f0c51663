"""The pairs of columns of a release: a sorted list, and one pair cell by cell. All of this is public.

`estimates.estimator` combines all noisy measurements into an estimate of the count of each cell. The
intervals cover the noise of all cells of the pair at once, and exclude negative counts. If a column lost
records, nothing is stated about the true counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synth.app.project.results import released
from synth.app.project.results.bundles import cached, evidence_of
from synth.app.project.results.released import PairBound
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.estimates.estimator import Estimator
from synth.estimates.least_squares import Cells
from synth.estimates.likely_errors import Likely
from synth.release.checks.views import Released, View, Views

RELIABLE, CLOSE = 0.2, 0.01
"""The largest bounds (shares of rows) of a reliable pair, and of a column that is close to the truth."""


class Order(StrEnum):
    """The order of the columns in the matrix: as declared, by descending bound, or by title."""

    DECLARED = "declared"
    WORST = "worst"
    TITLE = "title"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A summary of a release, such as the number of columns with a small bound and the `doubtful` pairs
    (without a bound or with a high bound).

    Of all `cells` in measured tables, `beyond` cells differ from the release by more than 3 standard
    deviations.
    """

    columns: int
    close: int
    pairs: int
    doubtful: int
    broken: int
    rules: int
    cells: int
    beyond: int


@dataclass(frozen=True, eq=False, kw_only=True)
class PairTable:
    """One pair cell by cell. Shapes: float64[len(down), len(across)], in people or rows.

    `noisy` contains the estimates from the noisy measurements, or is None if there are none. All true counts
    are within `reach` of them, with the stated confidence for all cells at once.
    """

    down: tuple[str, ...]
    across: tuple[str, ...]
    synthetic: NDArray[np.float64]
    noisy: NDArray[np.float64] | None
    reach: NDArray[np.float64]

    @property
    def least(self) -> NDArray[np.float64] | None:
        """Return the lower ends of the intervals."""
        return None if self.noisy is None else np.maximum(self.noisy - self.reach, 0.0)

    @property
    def most(self) -> NDArray[np.float64] | None:
        """Return the upper ends of the intervals."""
        return None if self.noisy is None else np.maximum(self.noisy + self.reach, 0.0)

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Return the cells whose synthetic count lies outside its interval."""
        if self.noisy is None:
            return np.zeros(self.synthetic.shape, dtype=np.bool_)
        return np.abs(self.synthetic - self.noisy) > self.reach + 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class PairView:
    """A pair of one release. `own` uses the values of the release, and `merged` the coarser values that were
    measured, if any. `total` is the number of people or rows. `people` states whether each person has one
    row, and `weighed` whether the number of synthetic rows differs from `total`.
    """

    bound: PairBound
    own: PairTable
    merged: PairTable | None
    total: float
    people: bool
    confidence: float
    weighed: bool = True


def answer(release: released.ReleaseView) -> Answer:
    """Summarise a release."""
    doubtful = [pair for pair in release.pairs if not is_reliable(pair)]
    return Answer(
        columns=len(release.columns),
        close=sum(view.bound is not None and view.bound <= CLOSE for view in release.columns),
        pairs=len(release.pairs),
        doubtful=len(doubtful),
        broken=sum(rule.rows > 0 for rule in release.held),
        rules=len(release.held),
        cells=release.residuals.cells,
        beyond=release.residuals.beyond,
    )


def is_reliable(pair: PairBound) -> bool:
    """Return whether the bound at full detail is small enough to rely on the pair."""
    return pair.share is not None and pair.share <= RELIABLE


def above(pairs: Sequence[PairBound], error: float) -> tuple[PairBound, ...]:
    """Return the pairs whose error (measured, or otherwise its bound) is higher than this or unknown: first
    those without a bound, and last those that were not measured.
    """
    return narrowed([pair for pair in pairs if pair.is_above(error)])


def expected_above(pairs: Sequence[PairBound], error: float) -> float | None:
    """Return the expected number of pairs with a higher error: the sum of the probabilities of their
    posteriors. The result is None if there are none.
    """
    likely = [pair.error.above(error) for pair in pairs if isinstance(pair.error, Likely)]
    return sum(likely) if likely else None


def narrowed(
    pairs: Sequence[PairBound],
    *,
    words: str = "",
    kinds: Collection[str] = (),
    beyond: float | None = None,
) -> tuple[PairBound, ...]:
    """Return the matching pairs: first those without a bound, then by descending error or bound, and last
    those that were not measured.

    `words` is a part of a title, or two parts separated by a comma, of which one must be in each title.
    `kinds` selects values of `PairBound.kind`, or all if it is empty. `beyond` selects the pairs above this
    error.
    """
    sought = [part.strip().casefold() for part in words.split(",") if part.strip()]
    found = [
        pair
        for pair in pairs
        if _has(pair, sought)
        and (not kinds or pair.kind in kinds)
        and (beyond is None or pair.is_above(beyond))
    ]
    return tuple(sorted(found, key=_looseness, reverse=True))


def _has(pair: PairBound, sought: Sequence[str]) -> bool:
    titles = [pair.left.casefold(), pair.right.casefold()]
    if len(sought) < 2:
        return not sought or any(sought[0] in title for title in titles)
    left, right = ({place for place, part in enumerate(sought) if part in title} for title in titles)
    return any(one != other for one in left for other in right)


def _looseness(pair: PairBound) -> float:
    if pair.unmeasured:
        return -1.0
    return 2.0 + (pair.coarse or 1.0) if pair.shown is None else pair.shown


def in_order(
    pairs: Sequence[PairBound], titles: Mapping[str, str], order: Order = Order.DECLARED
) -> tuple[str, ...]:
    """Return the names of the columns that occur in these pairs, in this order. `titles` has all columns as
    declared.
    """
    met: dict[str, list[float]] = {}
    for pair in pairs:
        for name in pair.clique:
            met.setdefault(name, []).append(1.0 if pair.shown is None else pair.shown)
    names = [name for name in titles if name in met]
    if order is Order.TITLE:
        return tuple(sorted(names, key=lambda name: titles[name].casefold()))
    if order is Order.WORST:
        return tuple(sorted(names, key=lambda name: -float(np.mean(met[name]))))
    return tuple(names)


def found(pairs: Sequence[PairBound], one: str, other: str) -> PairBound | None:
    """Return the pair of two columns, given in either order, or None if there is none."""
    return next((pair for pair in pairs if set(pair.clique) == {one, other}), None)


def view(folder: Path, clique: Clique) -> PairView:
    """Return one pair of a bundle. Raises: `Mistake` if the bundle is damaged or has no such pair."""
    bound = found(released.read(folder).pairs, *clique)
    if bound is None:
        raise Mistake("This release has no such pair of columns. Choose two of its columns.")
    return _view(folder, bound)


@cached(64)
def _view(folder: Path, bound: PairBound) -> PairView:
    release, noisy = released.read(folder), evidence_of(folder)
    answers = () if bound.incomplete else noisy.measurements
    views = Views(noisy.domain, answers, Released(released.table_of(folder), noisy.total))
    estimator = None if bound.incomplete else Estimator.of(noisy)
    fine, *coarser = views.all
    requested = (
        known for known in coarser if known.pool.supports(bound.clique) and known.merges(bound.clique)
    )
    merged = next(requested, None)
    confidence = release.confidence
    return PairView(
        bound=bound,
        own=table_of(fine, estimator, bound.clique, _labels(noisy), confidence),
        merged=None
        if merged is None
        else table_of(merged, estimator, bound.clique, _labels(noisy), confidence),
        total=noisy.total,
        people=noisy.codebook.schema.unit.max_rows == 1,
        confidence=confidence,
        weighed=release.rows != round(noisy.total),
    )


def table_of(
    known: View,
    estimator: Estimator | None,
    clique: Clique,
    labels: Mapping[str, tuple[str, ...]],
    confidence: float,
) -> PairTable:
    """Return a pair in the encoding of a view. `labels` contains the labels of the release by column.

    Tables in groups with many cells use only the measurements in these groups.
    """
    down, across = (
        released.merged_labels(labels[name], known.groups[name]) if name in known.groups else labels[name]
        for name in clique
    )
    groups = {name: np.asarray(known.groups[name]) for name in clique if name in known.groups}
    cells = None if estimator is None else estimator.cells(clique, groups)
    if cells is None and known.pool.supports(clique):
        counts = known.pool.estimate(clique)
        cells = Cells(counts=counts, variance=np.full(counts.shape, known.pool.cell_variance(clique)))
    return PairTable(
        down=down,
        across=across,
        synthetic=known.counts(clique),
        noisy=None if cells is None else cells.counts,
        reach=np.zeros(()) if cells is None else cells.reach(confidence),
    )


def _labels(noisy: Evidence) -> dict[str, tuple[str, ...]]:
    groupings = {g.column: g for g in noisy.codebook.groupings}
    return {axis.name: released.labels_of(axis, groupings.get(axis.name)) for axis in noisy.codebook.axes}
