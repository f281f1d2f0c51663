"""Compute tables of two releases on their common bins.

The codes of a column are bins of values. Bins of two releases that overlap are merged until no bin of one
overlaps two bins of the other. Values that only one release lists belong to the unlisted values of the other
release. Values beyond the range of one release belong to the bin in which it counted them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from synth.core.axis import Axis
from synth.core.cells.words import plain
from synth.core.measurements.noisy import sum_groups
from synth.core.schema import Outside
from synth.estimates.facts import Fact, summed
from synth.estimates.least_squares import NOTHING, Groups

Bins = NDArray[np.int64]
"""The bin of each code of an axis."""

Vector = NDArray[np.float64]

CERTAIN = 5.0
"""Minimum distance of the number of records from zero, in standard deviations, at which shares are
computed.
"""


def shared_bins(axes: tuple[Axis, Axis], bins: tuple[Bins, Bins]) -> tuple[Bins, Bins] | None:
    """Return coarser bins that contain the same values on both axes, numbered in the order of the first axis.

    Ranges with different ends are compared on the part that they share: a bin beyond the range of the other
    axis belongs to the bin in which the other release counted such values. Return None if the columns have
    different kinds of values, or if only one of them can be blank. Shapes: int64[codes of the axis] for each
    axis.
    """
    overlaps = _overlaps(*axes)
    if overlaps is None:
        return None
    graph = nx.Graph()
    graph.add_nodes_from((side, int(b)) for side, some in enumerate(bins) for b in some)
    graph.add_edges_from(((0, int(bins[0][a])), (1, int(bins[1][b]))) for a, b in overlaps)
    number: dict[tuple[int, int], int] = {}
    for first in dict.fromkeys(bins[0].tolist()):
        if (0, first) not in number:
            merged = nx.node_connected_component(graph, (0, first))
            number |= dict.fromkeys(merged, max(number.values(), default=-1) + 1)
    if len(number) < len(graph):
        return None
    one, other = (np.array([number[side, int(b)] for b in some]) for side, some in enumerate(bins))
    return one, other


def _overlaps(one: Axis, other: Axis) -> list[tuple[int, int]] | None:
    """Return the pairs of codes with common values, or None if the axes are not about the same values."""
    columns = (one.column, other.column)
    if columns[0].blank != columns[1].blank or columns[0].outside_rule != columns[1].outside_rule:
        return None
    same = [(one.missing_code, other.missing_code)] if one.column.blank else []
    if one.other_code is not None and other.other_code is not None:
        same.append((one.other_code, other.other_code))
    if one.edges and other.edges:
        if one.column.kind is not other.column.kind:
            return None
        found = [
            (i, j)
            for i in range(one.cells)
            for j in range(
                max(int(np.searchsorted(other.edges, one.edges[i], side="right")) - 1, 0),
                min(int(np.searchsorted(other.edges, one.edges[i + 1], side="left")), other.cells),
            )
        ]
        beyond = _beyond(one, other)
        back = None if beyond is None else _beyond(other, one)
        if beyond is None or back is None:
            return None
        return [*same, *found, *beyond, *((mine, theirs) for theirs, mine in back)]
    if not one.labels or not other.labels:
        return None
    places = [{plain(str(label)): code for code, label in enumerate(axis.labels)} for axis in (one, other)]
    for value in dict.fromkeys((*places[0], *places[1])):
        pair = (places[0].get(value, one.outside_code), places[1].get(value, other.outside_code))
        if pair[0] >= one.size or pair[1] >= other.size:
            return None
        same.append(pair)
    return same


def _beyond(one: Axis, other: Axis) -> list[tuple[int, int]] | None:
    """Return the cells of a range that are beyond the range of the other axis, each with the code of the
    other axis for such values. Return None if there is no such code.
    """
    clamps = other.column.outside_rule is Outside.CLAMP
    below, above = (0, other.cells - 1) if clamps else (other.outside_code, other.outside_code)
    found = [(i, below) for i in range(one.cells) if one.edges[i] < other.edges[0]]
    found += [(i, above) for i in range(one.cells) if one.edges[i + 1] > other.edges[-1]]
    return None if any(code >= other.size for _, code in found) else found


@dataclass(frozen=True, eq=False, kw_only=True)
class Shares:
    """The shares of the records in the cells of a table, and the number of records.

    `noise` and `sampling` are covariances, and `least` is the smallest variance of a noisy count. Shapes:
    `shares` float64[cells]; `noise` and `sampling` float64[cells, cells].
    """

    shares: Vector
    noise: Vector
    sampling: Vector
    records: float
    least: float


def shares_of(
    facts: Sequence[Fact], groups: Groups, possible: NDArray[np.bool_], *, total: float | None, rows: int
) -> Shares | None:
    """Return the shares of a table in groups of the codes of the domain.

    They are computed by least squares from the facts after summing to the groups, whose cells have different
    variances. `possible` marks the cells that can contain records. `rows` is the maximum number of rows of a
    unit. Return None if a cell is not estimable, or if the number of records is not certainly positive. The
    covariances are computed for the linear part of the shares (delta method).
    """
    inside = possible.ravel()
    size = int(inside.sum())
    normal, right, least = np.zeros((size, size)), np.zeros(size), np.inf
    for fact in facts:
        said = _summed(fact, groups)
        if said is None:
            continue
        design, counts, precision = said
        if len(counts) == 1:  # only the number of records
            normal += precision[0]
            right += precision[0] * counts[0]
        else:
            design = design[:, inside]
            normal += design.T @ (precision[:, None] * design)
            right += design.T @ (precision * counts)
        least = min(least, fact.variance)
    free, base = np.eye(size), np.zeros(size)
    if total is not None:  # the cells sum to it
        free, base = np.linalg.qr(np.ones((size, 1)), mode="complete")[0][:, 1:], np.full(size, total / size)
    normal, right = free.T @ normal @ free, free.T @ (right - normal @ base)
    scale = np.sqrt(np.maximum(normal.diagonal(), 1e-300))
    if np.linalg.eigvalsh(normal / np.outer(scale, scale)).min(initial=1.0) < NOTHING:
        return None
    inverse = np.linalg.inv(normal)
    counts, covariance = base + free @ (inverse @ right), free @ inverse @ free.T
    records = float(counts.sum())
    if records <= CERTAIN * sqrt(max(float(covariance.sum()), 0.0)):
        return None
    every = np.zeros(inside.size)
    every[inside] = counts / records
    error = (np.eye(inside.size)[:, inside] - every[:, None]) / records
    bounded = np.clip(every, 0.0, 1.0)
    return Shares(
        shares=every,
        noise=error @ covariance @ error.T,
        sampling=rows * (np.diag(bounded) - np.outer(bounded, bounded)) / records,
        records=records,
        least=least,
    )


def _summed(fact: Fact, groups: Groups) -> tuple[Vector, Vector, Vector] | None:
    """Return the sums of a fact over the cells: the matrix of the sums, the noisy sums, and their precisions.

    A column is summed out if the fact does not distinguish its groups. An interaction is used only if it
    covers the whole table. Shapes: float64[sums, cells], float64[sums], float64[sums].
    """
    refined = {
        n: of for n in groups if n in fact.groups and (of := _refined(fact.groups[n], groups[n])) is not None
    }
    if fact.is_interaction:
        is_whole = set(refined) == set(fact.clique) == set(groups)
        if not is_whole or any(len({*of.tolist()}) < len(of) for of in refined.values()):
            return None
    columns = tuple(refined)
    if not columns:
        precision = 1.0 / (fact.variance * fact.counts.size)
        every = np.ones((1, prod(int(g.max()) + 1 for g in groups.values())))
        return every, np.array([fact.counts.sum()]), np.array([precision])
    said = summed(fact, columns)
    if said is None:
        return None
    _, counts, _, precision = said
    merged = np.ones_like(counts)
    for axis, name in enumerate(columns):
        counts, merged = (sum_groups(table, axis, refined[name].tolist()) for table in (counts, merged))
    design = np.ones((1, 1))
    for name, group_of in groups.items():
        size = int(group_of.max()) + 1
        part = np.eye(size) if name in refined else np.ones((1, size))
        design = np.asarray(np.kron(design, part - 1 / size if fact.is_interaction else part))
    return design, counts.ravel(), precision / merged.ravel()


def _refined(fine: Bins, coarse: Bins) -> Bins | None:
    """Return the coarse group of each fine group, or None if a fine group is in several coarse groups."""
    found = np.zeros(int(fine.max()) + 1, dtype=np.int64)
    found[fine] = coarse
    return found if np.array_equal(found[fine], coarse) else None
