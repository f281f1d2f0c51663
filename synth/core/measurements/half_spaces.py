"""Determine on which side of a plane each record is, with exact integers.

With integers, the side depends only on the codes of the record.

Each code is a point with integer coordinates (`nearest.points_of`): a place on a line from 0 to LONGEST for
an ordered column, and one coordinate per code for any other column. A direction has an integer step for each
coordinate. A record is above the plane if sum(coordinate * step) exceeds a threshold. The sums are products
of float matrices, which represent these integers exactly. So the side depends neither on the order of
summation nor on other records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.measurements.nearest import LONGEST, Places, points_of

LARGEST_STEP = 127
MOST = 10_000
"""Maximum number of half-spaces in one query."""

FARTHEST = 1 << 40
"""Maximum threshold, which is larger than any sum."""

AT_A_TIME = 2048
"""Number of records whose sides are computed at a time."""


@dataclass(frozen=True)
class HalfSpaces:
    """Half-spaces over the columns of a clique.

    With a `label` (a column of the clique that is not summed), each half-space is counted separately for each
    code of the label.

    `places` contains the place of each code for ordered columns, and an empty tuple for other columns and the
    label. `directions[k]` has one step for each coordinate of the columns without the label, column by
    column. `thresholds[k]` belongs to `directions[k]`.
    """

    clique: Clique
    places: tuple[Places, ...]
    directions: tuple[tuple[int, ...], ...]
    thresholds: tuple[int, ...]
    label: str = ""

    def __len__(self) -> int:
        return len(self.directions)

    @cached_property
    def by(self) -> int | None:
        """Return the position of the label in the clique, or None without a label."""
        return self.clique.index(self.label) if self.label else None

    @property
    def summed(self) -> tuple[int, ...]:
        """Return the positions of the summed columns in the clique."""
        return tuple(i for i in range(len(self.clique)) if i != self.by)

    def fits(self, domain: Domain) -> bool:
        """Whether these half-spaces are valid in this domain and have integers of an allowed size.

        The caller checks that the clique is in the domain.
        """
        shape = domain.shape(self.clique)
        if (self.label and self.label not in self.clique) or len(self.places) != len(shape):
            return False
        are_placed = all(
            not places
            or (
                i != self.by
                and len(places) == size
                and all(type(p) is int and 0 <= p <= LONGEST for p in places)
            )
            for i, (places, size) in enumerate(zip(self.places, shape, strict=True))
        )
        width = sum(1 if self.places[i] else shape[i] for i in self.summed)
        are_whole = all(
            len(steps) == width and all(type(n) is int and abs(n) <= LARGEST_STEP for n in steps)
            for steps in self.directions
        )
        are_near = all(type(t) is int and abs(t) <= FARTHEST for t in self.thresholds)
        is_counted = 0 < len(self.directions) == len(self.thresholds) <= MOST
        return is_counted and are_placed and are_whole and are_near and bool(self.summed)

    def as_facts(self) -> dict[str, Any]:
        """Return the half-spaces as JSON."""
        return {
            "clique": list(self.clique),
            "label": self.label,
            "places": [list(places) for places in self.places],
            "directions": [list(steps) for steps in self.directions],
            "thresholds": list(self.thresholds),
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Return the half-spaces from their JSON form (the inverse of `as_facts`).

        Raises: KeyError if a field is missing.
        """
        return cls(
            clique=tuple(stored["clique"]),
            places=tuple(map(tuple, stored["places"])),
            directions=tuple(map(tuple, stored["directions"])),
            thresholds=tuple(stored["thresholds"]),
            label=stored["label"],
        )

    def only(self, kept: Sequence[int]) -> HalfSpaces:
        """Return the half-spaces with these indices."""
        return HalfSpaces(
            self.clique,
            self.places,
            tuple(self.directions[k] for k in kept),
            tuple(self.thresholds[k] for k in kept),
            self.label,
        )

    def weights(self, shape: Sequence[int]) -> list[NDArray[np.int64]]:
        """Return the contribution of each code to the sums.

        Shapes: `shape` contains the number of codes of each column of the clique; int64[codes, half-spaces]
        for each summed column.
        """
        points = [points_of(self.places[i], shape[i]) for i in self.summed]
        steps = np.array(self.directions, dtype=np.int64).reshape(len(self), -1)
        ends = np.cumsum([p.shape[1] for p in points])[:-1]
        return [p @ own.T for p, own in zip(points, np.split(steps, ends, axis=1), strict=True)]

    def above(self, codes: NDArray[np.integer[Any]], shape: Sequence[int]) -> NDArray[np.bool_]:
        """Return whether each record is above each plane.

        Shapes: `codes` int[n, columns of the clique], all below `shape`; bool[n, half-spaces].
        """
        points = [points_of(self.places[i], shape[i]) for i in self.summed]
        reach = sum(LARGEST_STEP * int(p.sum(axis=1).max()) for p in points)
        exact = np.float32 if reach < 1 << 24 else np.float64
        steps = np.array(self.directions, dtype=exact).T
        limits = np.array(self.thresholds, dtype=np.float64)
        known = [p.astype(exact) for p in points]
        here = np.concatenate([p[codes[:, i]] for p, i in zip(known, self.summed, strict=True)], axis=1)
        return np.asarray(here @ steps > limits)

    def sides(self, columns: Sequence[NDArray[np.integer[Any]]], shape: Sequence[int]) -> NDArray[np.int64]:
        """Return the number of records above each plane minus the number of other records.

        With a label, there is one number for each code of the label.

        Records with a code that is not below `shape` are not counted. Shapes: each column int[n]; int64[codes
        of the label or 1, half-spaces].
        """
        parts = 1 if self.by is None else shape[self.by]
        found = np.zeros((parts, len(self)), dtype=np.int64)
        for start in range(0, len(columns[0]), AT_A_TIME):
            codes = np.stack([column[start : start + AT_A_TIME] for column in columns], axis=1)
            codes = codes[(codes < np.asarray(shape)).all(axis=1)]
            above = self.above(codes, shape)
            for part in range(parts):
                mine = above if self.by is None else above[codes[:, self.by] == part]
                found[part] += 2 * np.count_nonzero(mine, axis=0) - len(mine)
        return found

    def sides_of_table(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return `sides` for a table of counts of the clique.

        Shapes: int64[codes of the label or 1, half-spaces].
        """
        codes = np.indices(counts.shape).reshape(counts.ndim, -1).T
        signed = np.where(self.above(codes, counts.shape), 1, -1) * counts.reshape(-1, 1)
        parts = 1 if self.by is None else counts.shape[self.by]
        found = np.zeros((parts, len(self)), dtype=np.int64)
        np.add.at(found, np.zeros(len(codes), dtype=int) if self.by is None else codes[:, self.by], signed)
        return found


def joined(several: Sequence[HalfSpaces]) -> HalfSpaces:
    """Merge half-spaces with the same clique, places and label, without repetition.

    Raises: ValueError if the cliques, places or labels differ.
    """
    first = several[0]
    if any((s.clique, s.places, s.label) != (first.clique, first.places, first.label) for s in several):
        raise ValueError("all half-spaces of a query must use the same columns")
    each = dict.fromkeys((d, t) for s in several for d, t in zip(s.directions, s.thresholds, strict=True))
    directions, thresholds = zip(*each, strict=True)
    return HalfSpaces(first.clique, first.places, directions, thresholds, first.label)
