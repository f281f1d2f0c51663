"""Define the interface of a table for mechanisms: queries with a cost, and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from synth.core.domain import Domain
from synth.private.queries import A, Query
from synth.private.terms import Allowance, Terms


class Source(Protocol):
    """The interface through which a mechanism queries a table. A query is charged before a row is read.

    It is implemented by `private.session.PrivateSource`, and without noise by the tests.
    """

    @property
    def domain(self) -> Domain:
        """Return the names of the columns and their numbers of codes, after the groupings of the source."""
        ...

    @property
    def terms(self) -> Terms:
        """Return the terms of queries.

        They contain the largest change of counts by one unit, the noise for a cost, and the number of rows if
        it is public.
        """
        ...

    @property
    def left(self) -> Allowance:
        """Return the remaining budget of this account, which depends on costs and never on data."""
        ...

    def ask(self, requested: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        """Return the answers to queries, each at a cost in rho, as if they were made one after the other.

        They are charged together, or not at all if the remaining budget does not cover them. So make queries
        together if no cost depends on the answer to another one of them.

        Each answer contains the query that it answers. Use that query: a resumed run gets the stored answers
        of its earlier queries, even if the floats of its new queries differ.

        Raises: `Refusal(QUERY_INVALID)` if a query is invalid in this domain or under these terms, or
        `BudgetRefused`. In both cases, nothing is charged.
        """
        ...
