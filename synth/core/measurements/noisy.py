"""Define noisy measurements, with their noise and privacy cost. They can be published."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import ZCDP, Law, rho_of
from synth.core.columns.unfit import Unfit
from synth.core.domain import Clique
from synth.core.networks.trainee import Trainee


class Answer(Protocol):
    """The common fields of all results.

    They are the part of the run and the step in which a result was measured, and its cost in 1e-12 rho.
    """

    @property
    def part(self) -> str: ...
    @property
    def step(self) -> int: ...
    @property
    def units(self) -> int: ...


class Scored(Protocol):
    """The part of a score that is stored with its result (see `private.scores`)."""

    @property
    def cliques(self) -> Sequence[Clique]:
        """Return the candidates. Each is a clique."""
        ...

    def forget(self, cliques: Collection[Clique]) -> Scored:
        """Return the same score without the public estimates of some candidates, to save memory."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Measurement:
    """A noisy marginal.

    Shapes: `counts: int64[shape(clique)]`. The counts are integers, because exact integer noise was added to
    exact integer counts, and they may be negative. Units: `variance` is the parameter sigma^2 of the noise in
    counts squared, which is recorded by the private session and never set by a mechanism; `units` is the
    privacy cost in 1e-12 rho. `law` is the accounting rule of the run and determines the kind of noise.
    `groups` maps the codes to groups for each column that was measured in groups (see
    `private.queries.Marginal`). `counts` then has one cell per group along that column. If `joined` is true,
    only the interaction was measured, and the sums come from other measurements (`measurements.joined`). The
    variance of the noise is then at most `variance` in any direction. `unfit` has the noisy numbers of cells
    that do not fit the declaration of the only column; the variance of the noise in a cell is then at most
    `variance`.
    """

    clique: Clique
    counts: NDArray[np.int64]
    variance: Fraction
    units: int
    part: str = "mechanism"
    step: int = 0
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    law: Law = ZCDP
    joined: bool = False
    unfit: tuple[Unfit, ...] = ()

    def __post_init__(self) -> None:
        if self.counts.dtype != np.int64:
            raise TypeError("a measurement needs int64 counts")
        if self.counts.ndim != len(self.clique):
            raise ValueError("a measurement needs one axis per column of its clique")
        self.counts.setflags(write=False)

    def coarsen(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a table of the clique in the domain's codes to the cells of this measurement."""
        return coarsened(table, self.clique, self.groups)

    @property
    def sigma(self) -> float:
        """Return sigma of the noise, in counts."""
        return math.sqrt(self.variance)

    @property
    def rho(self) -> float:
        """Return the cost in rho."""
        return rho_of(self.units)


@dataclass(frozen=True, eq=False, kw_only=True)
class Choice:
    """The result of a selection: the selected candidate, and the cost in units of 1e-12 rho.

    `epsilon` is the parameter of the exponential mechanism at this cost (`Law.range_within`). `swing` is the
    sensitivity of the score in fixed-point units (see `private.scores`). Together they bound how far the
    selected candidate is from the best one.
    """

    score: Scored
    index: int
    units: int
    epsilon: float
    swing: int
    part: str
    step: int

    @property
    def clique(self) -> Clique:
        return self.score.cliques[self.index]

    def forget(self, cliques: Collection[Clique]) -> Choice:
        """Return the same choice without the estimates of some candidates.

        The estimate of the selected candidate is always kept.
        """
        gone = {*cliques} - {self.clique} if self.clique in cliques else cliques
        return replace(self, score=self.score.forget(gone))


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyScores:
    """The result of a scoring query: all scores, with exact integer noise as in `Measurement`.

    Shapes: `values: float64[len(score.cliques)]` in counts (fixed-point answers divided by SCALE). `variance`
    is in counts squared. `groups` maps the codes to groups for each column that was measured in groups.
    """

    score: Scored
    values: NDArray[np.float64]
    variance: Fraction
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    units: int
    part: str
    step: int
    law: Law = ZCDP

    @property
    def sigma(self) -> float:
        """Return sigma of the noise, in counts."""
        return math.sqrt(self.variance)

    @property
    def likely(self) -> NDArray[np.float64]:
        """Return the values, shrunk towards their mean by the share of their variance that is noise.

        Without shrinking, the smallest values would be too small on average and the largest too large (an
        empirical Bayes estimate; Efron and Morris 1973). Shapes: as `values`.
        """
        mean, variance = float(self.values.mean()), float(self.values.var())
        kept = max(0.0, 1 - self.sigma**2 / variance) if variance > 0 else 0.0
        return np.asarray(mean + kept * (self.values - mean))

    def forget(self, cliques: Collection[Clique]) -> NoisyScores:
        """Return the same scores without the estimates of some candidates."""
        return replace(self, score=self.score.forget(cliques))


def coarsened(
    table: NDArray[np.float64], clique: Clique, groups: Mapping[str, Sequence[int]]
) -> NDArray[np.float64]:
    """Return a table of the clique in the domain's codes, summed to the given groups."""
    for axis, name in enumerate(clique):
        if name in groups:
            table = sum_groups(table, axis, groups[name])
    return table


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyNumbers:
    """The result of a query for numbers that are not a table of a clique, such as sums, moments or votes.

    `requested` contains the facts of the query as the ledger stores them. Shapes: `values: int64[any]`, exact
    integers with exact integer noise, in units of 1/`scale`. `variance` is the parameter sigma^2 of the noise
    in the same units squared, which is set by the private session.
    """

    requested: Mapping[str, Any]
    values: NDArray[np.int64]
    variance: Fraction
    scale: int = 1
    units: int
    part: str = "mechanism"
    step: int = 0
    law: Law = ZCDP

    def __post_init__(self) -> None:
        if self.values.dtype != np.int64:
            raise TypeError("noisy numbers are int64")
        self.values.setflags(write=False)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Return the values in units of 1. Shapes: float64[any]."""
        return self.values / self.scale

    @property
    def sigma(self) -> float:
        """Return sigma of the noise, in units of 1."""
        return math.sqrt(self.variance) / self.scale


@dataclass(frozen=True, eq=False, kw_only=True)
class Trained:
    """The result of a block of training steps: the state of a network after noisy gradient steps.

    `requested` contains the facts of the query as the ledger stores them. Shapes: `state`: float32[3,
    parameters], which has the weights, the momentum, and the mean of the weights over the last steps; it is
    empty if a later result of the same training contains them. `sigma` is the noise in each entry of each sum
    of gradients, relative to the clipping norm of a row's gradient.
    """

    requested: Mapping[str, Any]
    net: Trainee
    state: NDArray[np.float32]
    sigma: float
    units: int
    part: str = "mechanism"
    step: int = 0
    law: Law = ZCDP

    def __post_init__(self) -> None:
        self.state.setflags(write=False)

    @property
    def weights(self) -> NDArray[np.float32]:
        """Return the weights for sampling records. Shapes: float32[parameters]."""
        mean: NDArray[np.float32] = self.state[2]
        return mean

    def forget(self) -> Trained:
        """Return the same result without its weights and without the public numbers of its network."""
        return replace(self, net=self.net.bare(), state=self.state[:, :0])


def sum_groups(table: NDArray[np.float64], axis: int, group_of: Sequence[int]) -> NDArray[np.float64]:
    """Return a table with one of its axes summed within groups.

    Shapes: that axis has one entry per group.
    """
    moved = np.moveaxis(np.asarray(table, dtype=np.float64), axis, 0)
    summed = np.zeros((max(group_of) + 1, *moved.shape[1:]))
    np.add.at(summed, np.asarray(group_of), moved)
    return np.moveaxis(summed, 0, axis)
