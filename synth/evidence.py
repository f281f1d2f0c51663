"""What a run has learned and may tell: codes, noisy answers about them, and the number of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from synth.answers import Answer, Choice, Measurement, NoisyNumbers, NoisyScores, Trained
from synth.codebook import Codebook
from synth.domain import Domain
from synth.zeros import Zero

COMPARISON = "comparison"
"""The part of a run whose answers models are compared on."""

SHARES = "shares"
"""The part of a run whose answers records are steered to."""

_APART = (COMPARISON, SHARES)
"""Parts whose answers no model is fitted to."""


MOST_PLAIN = 2
"""Tables of more columns may be tilings."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """Answers that were paid for, in the codes of a codebook: all a model is made of and all that is told.

    `total` is the number of records, public by the schema or estimated from the answers.
    """

    codebook: Codebook
    answers: tuple[Answer, ...]
    total: float

    @property
    def domain(self) -> Domain:
        return self.codebook.domain

    @property
    def zeros(self) -> tuple[Zero, ...]:
        return self.codebook.zeros

    @property
    def ordered(self) -> Mapping[str, int]:
        return self.codebook.ordered

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        """The tables a model is fitted to, each column in its own codes or in one set of groups."""
        return tuple(m for m in self._fitted if not (self._are_tiled and len(m.clique) > MOST_PLAIN))

    @cached_property
    def tilings(self) -> tuple[Measurement, ...]:
        """The tables of three or more columns, where columns were asked in more than one set of groups:
        records of a model can be weighed by them, and no model has them as its own."""
        return tuple(m for m in self._fitted if self._are_tiled and len(m.clique) > MOST_PLAIN)

    @cached_property
    def held_back(self) -> tuple[Measurement, ...]:
        """The tables that no model is fitted to, so that models can be compared on them."""
        return tuple(m for m in self._tables if m.part == COMPARISON)

    @cached_property
    def shares(self) -> tuple[Measurement, ...]:
        """The tables that shares were bought by (`synth.rules.shares`); no model is fitted to them."""
        return tuple(m for m in self._tables if m.part == SHARES)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return tuple(a for a in self.answers if isinstance(a, Choice))

    @cached_property
    def scores(self) -> tuple[NoisyScores, ...]:
        return tuple(a for a in self.answers if isinstance(a, NoisyScores))

    @cached_property
    def numbers(self) -> tuple[NoisyNumbers, ...]:
        return tuple(a for a in self.answers if isinstance(a, NoisyNumbers))

    @cached_property
    def trained(self) -> tuple[Trained, ...]:
        """The blocks of a training, in their order; the last one has the network."""
        return tuple(a for a in self.answers if isinstance(a, Trained))

    def untiled(self) -> Evidence:
        """The same without tilings."""
        tilings = {id(m) for m in self.tilings}
        return replace(self, answers=tuple(a for a in self.answers if id(a) not in tilings))

    def joined(self, answers: Iterable[Answer]) -> Evidence:
        """The same with more answers; `total` stays."""
        return replace(self, answers=(*self.answers, *answers))

    @cached_property
    def _fitted(self) -> tuple[Measurement, ...]:
        return tuple(m for m in self._tables if m.part not in _APART)

    @cached_property
    def _are_tiled(self) -> bool:
        sets: dict[str, tuple[int, ...]] = {}
        large = (m for m in self._fitted if len(m.clique) > MOST_PLAIN)
        told = (item for m in large for item in m.groups.items())
        return any(sets.setdefault(name, group_of) != group_of for name, group_of in told)

    @property
    def _tables(self) -> Iterable[Measurement]:
        return (a for a in self.answers if isinstance(a, Measurement))
