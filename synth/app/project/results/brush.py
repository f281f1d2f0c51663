"""Find clusters on a map of synthetic rows, and the columns that distinguish them. Reads synthetic rows
only."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from synth.app.maps.atlas import Atlas, Sheet
from synth.app.project.results import released
from synth.app.project.results.bundles import evidence_of
from synth.app.project.runs import SyntheticTable

Spots = Mapping[str, Sequence[int]]
"""Points of a map: by run id, their indices in its sheet."""

DENSE, LEAST = 0.6, 0.02
"""A cluster covers the densest part of a table's rows (this share), and at least that share of all rows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Place:
    """A connected cluster of the map: its letter, its middle, and its points."""

    letter: str
    x: float
    y: float
    spots: Spots


@dataclass(frozen=True, kw_only=True)
class Trait:
    """A column of the chosen rows: the most distinctive value, its share among them and among all rows of the
    same runs on the map, and the total variation distance of the column (0 to 1)."""

    title: str
    value: str
    inside: float
    everywhere: float
    distance: float


def places(drawn: Atlas) -> tuple[Place, ...]:
    """Return the clusters of a map, the largest first."""
    sheets = [sheet for sheet in drawn.sheets if sheet.points]
    if not sheets:
        return ()
    dense = np.minimum.reduce([np.array(sheet.depth) for sheet in sheets]) < DENSE
    of_cell, many = label(dense)
    homes = {sheet.name: of_cell[_cells(drawn, sheet)] for sheet in sheets}
    rows = sum(len(home) for home in homes.values())
    full = sorted(range(1, many + 1), key=lambda n: -sum(int((home == n).sum()) for home in homes.values()))
    found = []
    for letter, number in zip(string.ascii_uppercase, full, strict=False):
        spots = {name: np.flatnonzero(home == number).tolist() for name, home in homes.items()}
        if sum(map(len, spots.values())) < LEAST * rows:
            break
        down, across = np.nonzero(of_cell == number)
        middle = int(np.argmin((down - down.mean()) ** 2 + (across - across.mean()) ** 2))
        found.append(Place(letter=letter, x=drawn.x[across[middle]], y=drawn.y[down[middle]], spots=spots))
    return tuple(found)


def traits(drawn: Atlas, runs: Sequence[SyntheticTable], spots: Spots) -> tuple[Trait, ...]:
    """Return what distinguishes the rows of these points, the most distinctive column first.

    Empty without points, or for an early map without row numbers. Raises: `Mistake` for a damaged bundle.
    """
    by_name = {sheet.name: sheet for sheet in drawn.sheets}
    chosen = [run for run in runs if len(spots.get(run.run, ())) and by_name[run.run].rows]
    if not chosen:
        return ()
    noisy = evidence_of(chosen[-1].folder)
    groupings = {g.column: g for g in noisy.codebook.groupings}
    inside, everywhere = [], []
    for run in chosen:
        rows = np.array(by_name[run.run].rows)
        codes = released.table_of(run.folder).codes
        inside.append(codes[rows[np.array(spots[run.run], dtype=np.int64)]])
        everywhere.append(codes[rows])
    here, there = np.concatenate(inside), np.concatenate(everywhere)
    found = []
    for place, axis in enumerate(noisy.codebook.axes):
        labels = released.labels_of(axis, groupings.get(axis.name))
        own, others = (_shares(codes[:, place], len(labels)) for codes in (here, there))
        top = int(np.argmax(own - others))
        found.append(
            Trait(
                title=axis.column.heading,
                value=labels[top],
                inside=float(own[top]),
                everywhere=float(others[top]),
                distance=float(np.abs(own - others).sum() / 2),
            )
        )
    return tuple(sorted(found, key=lambda trait: -trait.distance))


def _cells(drawn: Atlas, sheet: Sheet) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the grid cell of each point: down and across."""
    points = np.array(sheet.points)
    return _nearest(drawn.y, points[:, 1]), _nearest(drawn.x, points[:, 0])


def _nearest(centres: Sequence[float], values: NDArray[np.float64]) -> NDArray[np.int64]:
    step = (centres[-1] - centres[0]) / max(len(centres) - 1, 1) or 1.0
    return np.clip(np.rint((values - centres[0]) / step), 0, len(centres) - 1).astype(np.int64)


def _shares(codes: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    return np.bincount(codes, minlength=size) / max(len(codes), 1)
