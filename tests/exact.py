"""Answer queries without noise, for tests of mechanisms without the effect of noise."""

from collections.abc import Sequence

from synth.core.accounting import units_of
from synth.core.domain import Domain
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import A, Query
from synth.private.terms import Allowance, Paid, Terms


class Exact:
    """Answer every query exactly and charge it as a private session would."""

    def __init__(self, codes: Codes, domain: Domain, *, rho: float) -> None:
        self._tables, self._domain = ExactTables(codes, domain), domain
        self._left, self._step = Allowance(units_of(rho)), 0

    @property
    def domain(self) -> Domain:
        return self._domain

    @property
    def terms(self) -> Terms:
        return Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)

    @property
    def left(self) -> Allowance:
        return self._left

    def ask(self, requested: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        """Return exact answers, with the noise parameters for these costs. A cost above the remaining budget
        is reduced to what remains.
        """
        answers = []
        self._tables.expect([table for query, _ in requested for table in query.needs()])
        for query, rho in requested:
            units = min(*self._left.prices([rho]), self._left.units)
            paid = Paid(units=units, part="mechanism", step=self._step, terms=self.terms)
            blob = query.plain(query.exact(self._tables))
            answers.append(query.read(blob, paid, domain=self._domain))
            self._left, self._step = Allowance(self._left.units - units), self._step + 1
        self._tables.expect(())
        return tuple(answers)
