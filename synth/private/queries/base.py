"""What every query about codes is: public facts in, noisy bytes out, and an answer made of these bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import UNITS_PER_RHO
from synth.core.domain import Clique, Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.measurements.nearest import Places
from synth.core.measurements.noisy import Answer, NoisyNumbers
from synth.core.networks.trainee import Trainee
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.gradients import Rows
from synth.private.noise import noise_of
from synth.private.scores import ProductGap
from synth.private.table import PrivateTable
from synth.private.terms import Paid, Terms

A = TypeVar("A", bound=Answer)
A_co = TypeVar("A_co", bound=Answer, covariant=True)

Groups = Mapping[str, tuple[int, ...]]
"""Of columns that are asked about in coarser codes, which code of the domain counts as which. Privacy: a
coarse code is a function of one row's code, so a row still fills one cell of a marginal and every sensitivity
stays. Groups are public: chosen from noisy answers."""


class Tables(Protocol):
    """What is exact, in coarser codes where there are groups: private."""

    def __call__(self, clique: Clique, groups: Groups) -> NDArray[np.int64]:
        """The counts of a clique."""
        ...

    def sums(
        self,
        clique: Clique,
        groups: Groups,
        *,
        frequencies: NDArray[np.uint16],
        wave: NDArray[np.integer[Any]],
        by: int | None,
    ) -> NDArray[np.int64]:
        """Sums of a wave over the rows; see `counting.engine.Engine.sums`."""
        ...

    def votes(
        self,
        clique: Clique,
        groups: Groups,
        *,
        candidates: NDArray[np.int64],
        places: Sequence[Places],
        by: int | None,
    ) -> NDArray[np.int64]:
        """How many rows are nearest to each candidate; see `counting.engine.Engine.votes`."""
        ...

    def sides(self, spaces: HalfSpaces, groups: Groups) -> NDArray[np.int64]:
        """How many rows lie above half-spaces, less how many do not; see `half_spaces.HalfSpaces.sides`."""
        ...

    def gaps(self, score: ProductGap, groups: Groups) -> NDArray[np.int64]:
        """How far each candidate's counts are from the product of its columns."""
        ...

    def rows(self, clique: Clique, net: Trainee) -> Rows:
        """The rows whose gradients a network is trained on."""
        ...


class Query(Protocol[A_co]):
    """What is asked of a table of codes. All its fields are public; `exact`, `answer` and `plain` are called
    behind the wall alone, after the charge."""

    ask: ClassVar[str]
    """Its kind, as the ledger knows it."""
    words: ClassVar[tuple[str, str]]
    """One of them and several, as the report counts them."""

    @property
    def groups(self) -> Groups: ...

    def within(self, groups: Groups) -> Self:
        """The same query about coarser codes. ValueError if it is about coarser codes already."""
        ...

    def fits(self, domain: Domain) -> bool:
        """Whether it is one of this domain: known columns, each once and in order, and public numbers that
        are as many as cells and that fixed point holds exactly; of any others no sensitivity is true."""
        ...

    def facts(self, terms: Terms) -> dict[str, Any]:
        """The query in public words for the ledger: same facts, same query."""
        ...

    def state(self) -> bytes:
        """The public numbers it is made of that the facts only name by a digest; empty if they tell all."""
        ...

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        """The query of this kind that has these facts and this state. ValueError or KeyError if they are
        those of another kind."""
        ...

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        """The tables of counts it is answered from, so that those of a batch are counted together."""
        ...

    def exact(self, tables: Tables) -> NDArray[np.int64]:
        """What is true, in integers."""
        ...

    def answer(self, tables: Tables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY) -> bytes:
        """The private computation: what is true, with the noise of this price."""
        ...

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        """Bytes as of an answer without noise, for tables that are public anyway."""
        ...

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> A_co:
        """The answer in these bytes. `domain`: that of the codes before groups."""
        ...


class GaussianQuery(ABC):
    """A query whose exact numbers each get independent Gaussian noise, by the accounting of the run.

    Privacy: the Gaussian mechanism on the vector of numbers, with sigma^2 = l2_squared / (2 rho).
    """

    ask: ClassVar[str]
    groups: Groups

    @abstractmethod
    def own_facts(self, terms: Terms) -> dict[str, Any]:
        """The facts that only this kind of query has."""

    @abstractmethod
    def l2_squared(self, terms: Terms) -> int | Fraction:
        """The largest squared L2 change of `exact` between neighbours."""

    @abstractmethod
    def exact(self, tables: Tables) -> NDArray[np.int64]: ...

    def facts(self, terms: Terms) -> dict[str, Any]:
        return {"ask": self.ask, **self.own_facts(terms), **terms.law.told(), **group_facts(self.groups)}

    def state(self) -> bytes:
        return b""

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        return ()

    def variance(self, units: int, terms: Terms) -> Fraction:
        """sigma^2 at this cost: the charge is exact and the noise follows from it."""
        return Fraction(self.l2_squared(terms) * UNITS_PER_RHO, 2 * units)

    def answer(self, tables: Tables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY) -> bytes:
        numbers = self.exact(tables).ravel()
        noise = noise_of(terms.law, self.variance(units, terms), numbers.size, entropy=entropy)
        return stored(numbers + noise)

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        return stored(exact)


class CliqueQuery(GaussianQuery):
    """A Gaussian query about the columns of a clique, in coarser codes where there are groups."""

    clique: Clique

    def within(self, groups: Groups) -> Self:
        if self.groups:
            raise ValueError("a query about coarser codes cannot be coarsened again")
        own = {name: groups[name] for name in self.clique if name in groups}
        return replace(self, groups=own)  # type: ignore[type-var]

    def coarse(self, domain: Domain) -> Domain | None:
        """The domain of the groups; None for a clique or groups that are not of this domain."""
        if not is_canonical(self.clique, domain) or not set(self.groups) <= set(self.clique):
            return None
        return grouped(domain, self.groups)


class NumbersQuery(GaussianQuery):
    """A Gaussian query about numbers that are not a table of a clique: sums, votes, contrasts."""

    scale: ClassVar[int] = 1
    """How many units of the numbers make one."""

    @abstractmethod
    def shape(self, domain: Domain) -> tuple[int, ...]:
        """The shape of the answer's values. `domain`: the codes before groups."""

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> NoisyNumbers:
        return NoisyNumbers(
            asked=self.facts(paid.terms),
            values=integers(blob).reshape(self.shape(domain)),
            variance=self.variance(paid.units, paid.terms),
            scale=self.scale,
            **paid.place,
        )


class TableQuery(Protocol):
    """What is asked of the texts of the file, before there are codes."""

    ask: ClassVar[str]
    words: ClassVar[tuple[str, str]]

    @property
    def units(self) -> int:
        """The price, in 1e-12 rho."""
        ...

    def fits(self, terms: Terms, *, delta_units: int) -> bool:
        """Whether it has the noise that its price buys on these terms, and takes no more of delta than is
        paid (1e-18)."""
        ...

    def facts(self) -> dict[str, Any]:
        """What is asked, in JSON: the same facts at the same step are the same query."""
        ...

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """The private computation: bytes that are private to exactly the stated degree."""
        ...


def group_facts(groups: Groups) -> dict[str, Any]:
    """Groups as a part of a query; nothing where there are none."""
    return {"groups": {name: list(group_of) for name, group_of in groups.items()}} if groups else {}


def groups_in(facts: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The groups that `group_facts` told."""
    return {str(name): tuple(group_of) for name, group_of in facts.get("groups", {}).items()}


def grouped(domain: Domain, groups: Groups) -> Domain | None:
    """The domain of the groups; None if some are not groups of its codes."""
    for name, group_of in groups.items():
        if name not in domain or domain.size([name]) != len(group_of):
            return None
        if set(group_of) != set(range(max(group_of) + 1)):
            return None
    return domain.with_sizes({name: max(group_of) + 1 for name, group_of in groups.items()})


def label_codes(label: str, domain: Domain, groups: Groups) -> int:
    """How many codes of a label are asked about one by one, in groups if it has some; 1 without a label."""
    if not label:
        return 1
    return max(groups[label]) + 1 if label in groups else domain.size((label,))


def is_canonical(clique: Clique, domain: Domain) -> bool:
    """Whether these are columns of the domain, in its order and each once."""
    return bool(clique) and all(name in domain for name in clique) and domain.clique(clique) == clique


def integers(blob: bytes) -> NDArray[np.int64]:
    """Stored integers, in the memory they came in."""
    return np.frombuffer(blob, dtype="<i8").astype(np.int64, copy=False)


def stored(numbers: NDArray[np.int64]) -> bytes:
    """Integers as they are stored: little endian, 64 bits each."""
    return bytes(numbers.astype("<i8").tobytes())
