"""Define facts. A fact is a noisy linear sum of the private table, from the measurements of a package.

Scores are not facts, because they are absolute values. The accuracy check is also excluded, because it is
about the synthetic rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique
from synth.core.evidence import Evidence
from synth.core.measurements.interactions import interaction, shape_of
from synth.core.measurements.joined import asks_interaction
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.numbers import TIMES
from synth.estimates.concentration import PROXIES


@dataclass(frozen=True, eq=False, kw_only=True)
class Fact:
    """A noisy table, or only its interaction.

    Shapes: `groups[column]: int[codes]` maps the codes of the domain to the codes of the table; `counts`:
    float64, one axis per column. Units: `variance` is in counts squared per cell. It is the proxy variance of
    the noise (`estimates.concentration`), which is hardly larger than the variance if the variance is at
    least one. The noise of the cells is independent, except for an interaction, where covariance =
    `variance` * projection.
    """

    clique: Clique
    groups: Mapping[str, NDArray[np.int64]]
    counts: NDArray[np.float64]
    variance: float
    is_interaction: bool = False

    @property
    def name(self) -> str:
        """Return the names of the columns, with a prefix for an interaction."""
        columns = TIMES.join(self.clique) or "all records"
        return f"interaction of {columns}" if self.is_interaction else columns


def facts_of(evidence: Evidence) -> tuple[Fact, ...]:
    """Return all facts in the order of the measurements."""
    return tuple(_facts(evidence))


def _facts(evidence: Evidence) -> Iterator[Fact]:
    domain = evidence.domain
    for answer in evidence.answers:
        if isinstance(answer, Measurement) and not answer.joined:
            yield Fact(
                clique=answer.clique,
                groups={
                    name: np.asarray(answer.groups.get(name, range(domain.size([name]))), dtype=np.int64)
                    for name in answer.clique
                },
                counts=answer.counts.astype(np.float64),
                variance=PROXIES[answer.law.noise](float(answer.variance)),
            )
        elif isinstance(answer, NoisyNumbers) and asks_interaction(answer):
            shape = shape_of(answer.requested)
            yield Fact(
                clique=tuple(answer.requested["clique"]),
                groups={
                    name: np.arange(size)
                    for name, size in zip(answer.requested["clique"], shape, strict=True)
                },
                counts=interaction(answer.values, shape) / answer.scale,
                variance=PROXIES[answer.law.noise](float(answer.variance)) / answer.scale**2,
                is_interaction=True,
            )


@dataclass(frozen=True, eq=False)
class Projection:
    """All facts about the same sums of some columns, combined by their inverse variances.

    Shapes: `matrices[i]: float64[cells of the facts, atoms of the table]` for each column of the table; the
    matrix is a single row of ones if none of these facts has the column. `counts` has the shape of the facts.
    `members` has each fact with its precision, which is 1 / variance after the summation.
    """

    matrices: tuple[NDArray[np.float64], ...]
    counts: NDArray[np.float64]
    members: tuple[tuple[Fact, float], ...]

    @cached_property
    def precision(self) -> float:
        return sum(precision for _, precision in self.members)

    def onto(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a table of atoms to the cells that the facts measure."""
        return along(self.matrices, table)

    def back(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Apply the transpose of `onto`."""
        return along([m.T for m in self.matrices], sums)


def along(
    matrices: tuple[NDArray[np.float64], ...] | list[NDArray[np.float64]], table: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a table after applying one matrix along each axis."""
    for axis, matrix in enumerate(matrices):
        table = np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)
    return np.asarray(table)


Summed = tuple[Clique, NDArray[np.float64], Fact, float]


def summed(fact: Fact, columns: Clique) -> Summed | None:
    """Return the sums of a fact over some columns: the columns that it contains, the sums, and their
    precision.

    Return None if it measures nothing, because the sums of an interaction are zero.
    """
    inside = tuple(name for name in columns if name in fact.clique)
    away = tuple(axis for axis, name in enumerate(fact.clique) if name not in columns)
    if fact.is_interaction and away:
        return None
    counts = fact.counts.sum(axis=away)
    kept = [name for name in fact.clique if name in columns]
    counts = np.transpose(counts, [kept.index(name) for name in inside])
    cells = prod(fact.counts.shape) // max(counts.size, 1)
    return inside, counts, fact, 1.0 / (fact.variance * cells)
