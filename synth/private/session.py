"""Answer queries from private rows. Only this module does so, and only after a query was charged.

Steps of every query: check it against the list of queries (`private.queries`), commit its charge to the
ledger, count, add exact integer noise, store the result, and return what was stored. Queries whose costs are
known in advance can be made as a batch: all of them are charged before the first is counted, and all results
are stored before the first is returned. If the run has made a query before, it is answered from the ledger
without a new charge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from synth.core.accounting import ZCDP, Law
from synth.core.axis import Axis, Grouping, domain_of
from synth.core.columns.unfit import Exclusion, exclusions, in_groups
from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.schema import Schema
from synth.private.account import Account, AccountLike
from synth.private.counting.codes import Codes
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.exact_tables import ExactTables
from synth.private.ledger import Ask, Ledger
from synth.private.queries import QUERIES, TABLE_QUERIES, A, Marginal, Query, TableQuery, is_of_rows
from synth.private.resume import resumed
from synth.private.sealed import Hidden
from synth.private.table import PrivateTable
from synth.private.terms import Allowance, Paid, Terms


class PrivateSource(Hidden):
    """The `Source` of a private table. Its queries cost budget.

    `excluded` has what the declaration of each column excludes. Each measurement of a single column then also
    counts such cells, at the same cost (`queries.marginal`).
    """

    def __init__(
        self,
        codes: Codes,
        domain: Domain,
        account: AccountLike,
        *,
        schema: Schema,
        entropy: Entropy = OS_ENTROPY,
        excluded: Mapping[str, tuple[Exclusion, ...]] | None = None,
    ) -> None:
        self._codes, self._tables, self._domain = codes, ExactTables(codes, domain), domain
        self._account, self._schema, self._entropy = account, schema, entropy
        self._excluded = excluded or {}

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def terms(self) -> Terms:
        return Terms.of(self._schema, law=self._account.law)

    @property
    def left(self) -> Allowance:
        return self._account.allowance

    def ask(self, requested: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        """See `Source.ask`."""
        domain, terms, requested = (
            self._domain,
            self.terms,
            tuple((self._counting_unfit(query), rho) for query, rho in requested),
        )  # the checked query is the one that is made
        for query, _ in requested:
            self._check(query, terms)
        prices = self.left.prices([rho for _, rho in requested])
        priced = [(query, units) for (query, _), units in zip(requested, prices, strict=True)]
        batch = resumed(priced, self._account.ahead, domain=domain, terms=terms)
        first = self._account.step
        self._tables.expect([table for query, _ in batch for table in query.needs()])
        try:
            blobs = self._account.ask_all([self._requested(query, units, terms) for query, units in batch])
        finally:
            self._tables.expect(())
        return tuple(
            query.read(
                blob, Paid(units=units, part=self._account.part, step=step, terms=terms), domain=domain
            )
            for step, ((query, units), blob) in enumerate(zip(batch, blobs, strict=True), first)
        )

    def paid_by(self, account: AccountLike, *, counts_unfit: bool = False) -> PrivateSource:
        """Return a source of the same codes whose queries are charged to another share of the run.

        `counts_unfit`: whether it also counts cells that do not fit, as this source does.
        """
        other = PrivateSource(
            self._codes,
            self._domain,
            account,
            schema=self._schema,
            entropy=self._entropy,
            excluded=self._excluded if counts_unfit else None,
        )
        other._tables = self._tables
        return other

    def _counting_unfit(self, query: Query[A]) -> Query[A]:
        """Return the query, which also counts cells that do not fit if it measures a single column."""
        if not isinstance(query, Marginal) or len(query.clique) != 1:
            return query
        return replace(query, excluded=self._excluded.get(query.clique[0], ()))

    def _check(self, query: Query[Any], terms: Terms) -> None:
        if terms.replaces and terms.law.is_for_added_units:
            raise Refusal(Code.QUERY_INVALID)
        is_listed = type(query) in QUERIES.values()
        if is_of_rows(query) and not self._codes.sees_rows:
            raise Refusal(Code.ROWS_ELSEWHERE)
        if not is_listed or not terms.law.allows(query.ask) or not query.fits(self._domain):
            raise Refusal(Code.QUERY_INVALID)

    def _requested(self, query: Query[Any], units: int, terms: Terms) -> Ask:
        """Return the charge for the ledger, and the function that answers it once it is charged."""
        answer = partial(query.answer, self._tables, units=units, terms=terms, entropy=self._entropy)
        return Ask(query=query.facts(terms), units=units, answer=answer, state=query.state())


class PrivateSession(Hidden):
    """A private table and its run in the ledger. It provides sources, each with a separate share of the
    budget.

    `law` is the accounting rule of the reservation. The ledger refuses queries under other rules.
    """

    def __init__(
        self,
        table: PrivateTable,
        schema: Schema,
        ledger: Ledger,
        run: str,
        *,
        law: Law = ZCDP,
        entropy: Entropy = OS_ENTROPY,
    ) -> None:
        self._table, self._ledger, self._run, self._entropy = table, ledger, run, entropy
        self._law, self.schema = law, schema

    @property
    def terms(self) -> Terms:
        """Return the terms of all queries, according to the schema and the accounting rule."""
        return Terms.of(self.schema, law=self._law)

    def account(self, part: str, units: int) -> Account:
        """Return a named share of the run's reservation. Earlier charges of the part are repeated first."""
        return Account(
            self._ledger,
            self._run,
            part=part,
            units=units,
            population=self.schema.population,
            law=self._law,
            resumes=True,
        )

    def source(
        self,
        axes: Sequence[Axis],
        account: Account,
        *,
        groupings: Sequence[Grouping] = (),
        counts_unfit: bool = False,
    ) -> PrivateSource:
        """Return the table as codes on these axes, coarsened by groupings. Only queries can read it.

        With `counts_unfit`, measurements of single columns also count cells that do not fit the declaration.
        """
        codes = self._table.codes(axes)
        if groupings:
            codes = codes.grouped(groupings)
        excluded = {axis.name: exclusions(axis) for axis in axes} if counts_unfit else {}
        for grouping in groupings:
            excluded[grouping.column] = in_groups(excluded.get(grouping.column, ()), grouping.group_of)
        return PrivateSource(
            codes,
            domain_of(axes, groupings),
            account,
            schema=self.schema,
            entropy=self._entropy,
            excluded=excluded,
        )

    def ask(self, query: TableQuery, account: Account, *, delta_units: int = 0) -> bytes:
        """Answer one of the queries that precede the mechanism (see `private.queries`).

        Raises: `Refusal(QUERY_INVALID)` if the cost or another number is invalid, or if the noise is too
        small for the cost.
        """
        if type(query) not in TABLE_QUERIES.values():
            raise Refusal(Code.QUERY_INVALID)
        if not query.fits(self.terms, delta_units=delta_units):
            raise Refusal(Code.QUERY_INVALID)
        try:
            facts = query.facts()
        except (ValueError, ArithmeticError):
            facts = None
        if facts is None or not query.units > 0:
            raise Refusal(Code.QUERY_INVALID)
        ask = Ask(
            query=facts,
            units=query.units,
            answer=lambda: query.answer(self._table, entropy=self._entropy),
            delta_units=delta_units,
        )
        return account.ask_all([ask])[0]
