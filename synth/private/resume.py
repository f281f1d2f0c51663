"""Resume an interrupted run: repeat its recorded queries first.

Queries depend on the floats of a fit, which may differ on another machine or with a different version of a
library. So a query that was already charged is repeated in its recorded form, at its recorded cost: the
ledger has its facts, and its public numbers are stored beside the ledger. Only a query that was never charged
is made in its new form. Privacy: every query is charged, at its cost, before it is answered.
"""

from __future__ import annotations

from collections.abc import Sequence

from synth.core.domain import Domain
from synth.core.errors import Code
from synth.private.ledger import Charged, canonical
from synth.private.queries import A, Query
from synth.private.sealed import sealed
from synth.private.terms import Terms

Priced = tuple[Query[A], int]
"""A query with its cost in units."""


def resumed(
    requested: Sequence[Priced[A]], ahead: Sequence[Charged], *, domain: Domain, terms: Terms
) -> list[Priced[A]]:
    """Return the queries to make.

    The queries in `ahead` come first, in their recorded form, followed by the queries that were not charged
    yet.

    Charges are recorded in batches. If one query of a batch differs from the new one, the whole batch
    replaces all new queries, even if it is longer or shorter.

    Raises: `Refusal(ANSWER_MISMATCH)` if a charge is for a different kind of query, or if its state is
    missing.
    """
    batch: list[Priced[A]] = []
    is_other = False
    for at, charged in enumerate(ahead if requested else ()):
        if at >= len(requested) and charged.batch != ahead[at - 1].batch:
            break
        query = requested[min(at, len(requested) - 1)][0]
        if at >= len(requested) or canonical(query.facts(terms)) != charged.text:
            query, is_other = _restored(query, charged, domain, terms), True
        batch.append((query, charged.units))
    return batch if is_other else [*batch, *requested[len(batch) :]]


@sealed(Code.ANSWER_MISMATCH)  # the files beside the ledger may have any content
def _restored(query: Query[A], charged: Charged, domain: Domain, terms: Terms) -> Query[A]:
    """Return the query that was charged, which must be of the same kind as the new query."""
    facts = charged.query
    if facts["ask"] != query.ask:
        raise ValueError("another kind of query")
    before: Query[A] = query.restored(facts, charged.state())
    if canonical(before.facts(terms)) != charged.text or not before.fits(domain):
        raise ValueError("a query other than the charged one")
    return before
