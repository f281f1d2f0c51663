"""Compute complete tables from measured interactions and from measurements of smaller tables.

A table is the sum of the interactions of all sets of its columns (`measurements.interactions`). Each
interaction is estimated from the measurements that contain it, weighted by their precision. A measured
interaction has variance s^2. An interaction of B that is computed from a noisy table, by summing and
centring, has variance v_B = sigma^2 n_m / n_B, where n_m is the number of cells and sigma^2 the noise
variance of the table. Errors of different interactions are uncorrelated. In a table of A, the interaction of
B contributes variance v_B n_B / n_A in separate directions. The stated variance of the joined table is the
largest of these variances. Counts are rounded to integers. All of this is post-processing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, subsets
from synth.core.measurements.interactions import ASK, centred, interaction, shape_of
from synth.core.measurements.noisy import Answer, Measurement, NoisyNumbers


@dataclass(frozen=True, eq=False)
class Effect:
    """An interaction of a clique, estimated from one or more measurements.

    Shapes: `table`: float64, one axis per column, in counts. `precision` is 1 / variance of the estimate, in
    the directions of the interaction.
    """

    table: NDArray[np.float64]
    precision: Fraction


def asks_interaction(answer: Answer) -> bool:
    """Whether this is the result of a query about an interaction."""
    return isinstance(answer, NoisyNumbers) and answer.requested.get("ask") == ASK


@dataclass(frozen=True, eq=False)
class Joining:
    """Combines measurements into complete tables, given the number of records."""

    answers: Sequence[Answer]
    total: float
    requested: dict[Clique, list[NoisyNumbers]] = field(default_factory=lambda: defaultdict(list))
    _tables: dict[str, list[Measurement]] = field(default_factory=lambda: defaultdict(list))
    _known: dict[Clique, Effect | None] = field(default_factory=dict)
    _shares: dict[tuple[int, int, int, int], Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for answer in self.answers:
            if isinstance(answer, Measurement):
                for name in answer.clique:
                    self._tables[name].append(answer)
            elif isinstance(answer, NoisyNumbers) and asks_interaction(answer):
                self.requested[tuple(answer.requested["clique"])].append(answer)

    def table(self, clique: Clique) -> Measurement | None:
        """Return the complete table of an interaction, or None if no measurement covers one of its smaller
        tables.

        Tables that contain this table are not used.
        """
        first = self.requested[clique][0]
        shape = shape_of(first.requested)
        size = math.prod(shape)
        whole, variance = np.full(shape, self.total / size), self._variance_of_total / size
        for part in subsets(clique):
            effect = self._effect(part) if part != clique else _mean(self._by_interactions(clique))
            if effect is None:
                return None
            within = [n if name in part else 1 for name, n in zip(clique, shape, strict=True)]
            whole = whole + effect.table.reshape(within) * (effect.table.size / size)
            variance = max(variance, self._variance(effect, size))
        return Measurement(
            clique=clique,
            counts=np.rint(whole).astype(np.int64),
            variance=variance,
            units=sum(answer.units for answer in self.requested[clique]),
            part=first.part,
            step=first.step,
            law=first.law,
            joined=True,
        )

    @cached_property
    def _variance_of_total(self) -> Fraction:
        tables = [answer for answer in self.answers if isinstance(answer, Measurement)]
        precision = sum((1 / (m.variance * m.counts.size) for m in tables), Fraction(0))
        return 1 / precision if precision else Fraction(0)

    def _variance(self, effect: Effect, size: int) -> Fraction:
        """Return the variance that an interaction contributes to a table with this number of cells."""
        key = effect.precision.numerator, effect.precision.denominator, effect.table.size, size
        if key not in self._shares:
            self._shares[key] = Fraction(effect.table.size, size) / effect.precision
        return self._shares[key]

    def _effect(self, clique: Clique) -> Effect | None:
        """Return the estimate of an interaction from all measurements, or None if there are none."""
        if clique not in self._known:
            self._known[clique] = _mean((*self._by_tables(clique), *self._by_interactions(clique)))
        return self._known[clique]

    def _by_tables(self, clique: Clique) -> Iterator[Effect]:
        for m in self._tables.get(clique[0], ()):
            if set(clique) <= set(m.clique) and not any(name in m.groups for name in clique):
                away = tuple(axis for axis, name in enumerate(m.clique) if name not in clique)
                table = m.counts.sum(axis=away)
                yield Effect(centred(table.astype(np.float64)), table.size / (m.variance * m.counts.size))

    def _by_interactions(self, clique: Clique) -> Iterator[Effect]:
        for answer in self.requested.get(clique, ()):
            yield Effect(interaction(answer.values, shape_of(answer.requested)), 1 / answer.variance)


def _mean(effects: Iterable[Effect]) -> Effect | None:
    """Combine the measurements of an interaction by their precision. Return None if there are none."""
    effects = tuple(effects)
    if not effects:
        return None
    if len(effects) == 1:
        return effects[0]
    precision = sum((e.precision for e in effects), Fraction(0))
    weighed = [e.table * float(e.precision / precision) for e in effects]
    return Effect(np.sum(weighed, axis=0), precision)


def tables_of(answers: Iterable[Answer], total: float) -> Iterator[Measurement]:
    """Return the measured tables in their order, followed by the tables computed from interactions."""
    answers = tuple(answers)
    yield from (answer for answer in answers if isinstance(answer, Measurement))
    joining = Joining(answers, total)
    for clique in tuple(joining.requested):
        whole = joining.table(clique)
        if whole is not None:
            yield whole
