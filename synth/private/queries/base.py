"""Define the common interface of queries: public facts, a noisy result as bytes, and an answer read from
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import UNITS_PER_RHO
from synth.core.domain import Clique, Domain
from synth.core.measurements.noisy import Answer, NoisyNumbers
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.exact_tables import ExactTables, Groups
from synth.private.noise import noise_of
from synth.private.table import PrivateTable
from synth.private.terms import Paid, Terms

A = TypeVar("A", bound=Answer)
A_co = TypeVar("A_co", bound=Answer, covariant=True)


class Query(Protocol[A_co]):
    """A query about a table of codes. All fields are public.

    `exact`, `answer` and `plain` are called on the private side only, after the charge.
    """

    ask: ClassVar[str]
    """The name of this kind of query in the ledger."""
    words: ClassVar[tuple[str, str]]
    """The singular and plural name of this kind of query, for the report."""

    @property
    def groups(self) -> Groups: ...

    def within(self, groups: Groups) -> Self:
        """Return the same query in coarser codes. Raises: ValueError if it already uses coarser codes."""
        ...

    def fits(self, domain: Domain) -> bool:
        """Whether the query is valid in this domain.

        Its columns must be known, without repetition and in order. Its public numbers must match the cells
        and be exact in fixed point, because otherwise its sensitivity is not valid.
        """
        ...

    def facts(self, terms: Terms) -> dict[str, Any]:
        """Return the public facts of the query for the ledger. Queries with the same facts are considered the
        same.
        """
        ...

    def state(self) -> bytes:
        """Return the public numbers of which the facts contain only a digest, or empty bytes if there are
        none.
        """
        ...

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        """Return the query of this kind with these facts and this state.

        Raises: ValueError or KeyError if the facts are of another kind of query.
        """
        ...

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        """Return the tables of counts that the query needs, so that all tables of a batch are counted
        together.
        """
        ...

    def exact(self, tables: ExactTables) -> NDArray[np.int64]:
        """Return the exact result as integers."""
        ...

    def answer(
        self, tables: ExactTables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY
    ) -> bytes:
        """Return the exact values plus the noise for this cost, as bytes."""
        ...

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        """Return the bytes of a result without noise, for public tables."""
        ...

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> A_co:
        """Return the answer that these bytes contain. `domain` contains the codes before grouping."""
        ...


class GaussianQuery(ABC):
    """A query that adds independent Gaussian noise to each exact number, by the accounting rule of the run.

    Privacy: the Gaussian mechanism on the vector of numbers, with sigma^2 = l2_squared / (2 rho).
    """

    ask: ClassVar[str]
    groups: Groups

    @abstractmethod
    def own_facts(self, terms: Terms) -> dict[str, Any]:
        """Return the facts that only this kind of query has."""

    @abstractmethod
    def l2_squared(self, terms: Terms) -> int | Fraction:
        """Return the largest squared L2 change of `exact` between neighbouring tables."""

    @abstractmethod
    def exact(self, tables: ExactTables) -> NDArray[np.int64]: ...

    def facts(self, terms: Terms) -> dict[str, Any]:
        return {"ask": self.ask, **self.own_facts(terms), **terms.law.as_facts(), **group_facts(self.groups)}

    def state(self) -> bytes:
        return b""

    def needs(self) -> Sequence[tuple[Clique, Groups]]:
        return ()

    def variance(self, units: int, terms: Terms) -> Fraction:
        """Return sigma^2 at this cost. The charge is exact, and the noise is computed from it."""
        return Fraction(self.l2_squared(terms) * UNITS_PER_RHO, 2 * units)

    def answer(
        self, tables: ExactTables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY
    ) -> bytes:
        numbers = self.exact(tables).ravel()
        noise = noise_of(terms.law, self.variance(units, terms), numbers.size, entropy=entropy)
        return stored(numbers + noise)

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        return stored(exact)


class CliqueQuery(GaussianQuery):
    """A Gaussian query about the columns of a clique, in coarser codes if it has groups."""

    clique: Clique
    fact_fields: ClassVar[tuple[str, ...]] = ("clique",)
    """The names of the fields that make up its facts. Their values are tuples."""

    def own_facts(self, terms: Terms) -> dict[str, Any]:
        return {name: listed(getattr(self, name)) for name in self.fact_fields}

    def restored(self, facts: Mapping[str, Any], state: bytes | None) -> Self:
        own = {name: unlisted(facts[name]) for name in self.fact_fields}
        return replace(self, **own, groups=groups_in(facts))  # type: ignore[type-var]

    def within(self, groups: Groups) -> Self:
        if self.groups:
            raise ValueError("a query about coarser codes cannot be coarsened again")
        own = {name: groups[name] for name in self.clique if name in groups}
        return replace(self, groups=own)  # type: ignore[type-var]

    def coarse(self, domain: Domain) -> Domain | None:
        """Return the domain of the clique after grouping, or None if the clique or the groups do not fit
        `domain`.
        """
        if not is_canonical(self.clique, domain) or not set(self.groups) <= set(self.clique):
            return None
        return grouped(domain.project(self.clique), self.groups)


class NumbersQuery(GaussianQuery):
    """A Gaussian query for values that are not a marginal: sums, votes, contrasts."""

    scale: ClassVar[int] = 1
    """The number of units that make up a value of 1."""

    @abstractmethod
    def shape(self, domain: Domain) -> tuple[int, ...]:
        """Return the shape of the answer's values. `domain` contains the codes before grouping."""

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> NoisyNumbers:
        return NoisyNumbers(
            requested=self.facts(paid.terms),
            values=integers(blob).reshape(self.shape(domain)),
            variance=self.variance(paid.units, paid.terms),
            scale=self.scale,
            **paid.place,
        )


class ScaledQuery(NumbersQuery):
    """A query for numbers with different noise: variance of a number = variance of the answer * squared
    length.
    """

    @abstractmethod
    def squared_lengths(self) -> NDArray[np.int64]:
        """Return the squared length of each number. Shapes: those of the answer's values, or of their last
        axes.
        """

    def answer(
        self, tables: ExactTables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY
    ) -> bytes:
        variance, numbers = self.variance(units, terms), self.exact(tables)
        lengths = np.broadcast_to(self.squared_lengths(), numbers.shape)
        for length in np.unique(lengths).tolist():
            alike = lengths == length
            numbers[alike] += noise_of(terms.law, variance * length, int(alike.sum()), entropy=entropy)
        return stored(numbers.ravel())


class TableQuery(Protocol):
    """A query about the strings in the file, before they are encoded."""

    ask: ClassVar[str]
    words: ClassVar[tuple[str, str]]

    @property
    def units(self) -> int:
        """The cost, in 1e-12 rho."""
        ...

    def fits(self, terms: Terms, *, delta_units: int) -> bool:
        """Whether the query has enough noise for its cost under these terms, and enough delta is charged.

        `delta_units` is in units of 1e-18.
        """
        ...

    def facts(self) -> dict[str, Any]:
        """Return the query as plain JSON. Queries with the same facts at the same step are considered the
        same.
        """
        ...

    def answer(self, table: PrivateTable, *, entropy: Entropy = OS_ENTROPY) -> bytes:
        """Return the result, with exactly the stated privacy, as bytes."""
        ...


@dataclass(frozen=True, kw_only=True)
class ColumnQuery:
    """A query about the strings in a column, answered from counts with Gaussian noise.

    Units: `l2_squared` is the largest squared L2 change of a histogram between neighbouring tables: k^2 for
    add/remove and 2 k^2 for replace-one, with at most k rows per unit. `units` is the cost in 1e-12 rho.
    """

    column: str
    l2_squared: int
    units: int

    @property
    def variance(self) -> Fraction:
        """Return sigma^2 at this cost."""
        return Fraction(self.l2_squared * UNITS_PER_RHO, 2 * self.units)


def listed(value: Any) -> Any:
    """Return a value, with lists instead of tuples."""
    return [listed(one) for one in value] if isinstance(value, tuple) else value


def unlisted(value: Any) -> Any:
    """Return a value, with tuples instead of lists."""
    return tuple(unlisted(one) for one in value) if isinstance(value, list) else value


def group_facts(groups: Groups) -> dict[str, Any]:
    """Return the facts about groups, which are empty without groups."""
    return {"groups": {name: list(group_of) for name, group_of in groups.items()}} if groups else {}


def groups_in(facts: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the groups in these facts (the inverse of `group_facts`)."""
    return {str(name): tuple(group_of) for name, group_of in facts.get("groups", {}).items()}


def grouped(domain: Domain, groups: Groups) -> Domain | None:
    """Return the domain after grouping, or None if some groups do not match its codes."""
    for name, group_of in groups.items():
        if name not in domain or domain.size([name]) != len(group_of):
            return None
        if set(group_of) != set(range(max(group_of) + 1)):
            return None
    return domain.with_sizes({name: max(group_of) + 1 for name, group_of in groups.items()})


def label_codes(label: str, domain: Domain, groups: Groups) -> int:
    """Return how many codes of a label are queried separately, after grouping, or 1 without a label."""
    if not label:
        return 1
    return max(groups[label]) + 1 if label in groups else domain.size((label,))


def is_canonical(clique: Clique, domain: Domain) -> bool:
    """Whether these are columns of the domain, in its order and without repetition."""
    return bool(clique) and all(name in domain for name in clique) and domain.clique(clique) == clique


def integers(blob: bytes) -> NDArray[np.int64]:
    """Read stored integers without copying them."""
    return np.frombuffer(blob, dtype="<i8").astype(np.int64, copy=False)


def stored(numbers: NDArray[np.int64]) -> bytes:
    """Return integers in their stored form: little endian, 64 bits each."""
    return bytes(numbers.astype("<i8").tobytes())
