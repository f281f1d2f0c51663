"""How a run that was interrupted goes on: the transcript leads.

Questions are made of the floats of a fit, and those may come out otherwise on another machine or with another
library. So a query that was charged before is asked again as it was charged, with its price: its facts are
in the ledger, and the public numbers it was made of lie beside it. Only a query that was never charged is
asked as it is now. Privacy: nothing is asked that was not charged, at the price that was charged.
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
"""A query and its price in units."""


def resumed(
    asked: Sequence[Priced[A]], ahead: Sequence[Charged], *, domain: Domain, terms: Terms
) -> list[Priced[A]]:
    """The queries to ask now: those of `ahead` as they were charged, then what was not charged yet.

    Charges are written down as batches. Where one of them is another query than the one asked now, its
    batch stands for all that is asked, whether that is more or less.

    Raises: `Refusal(ANSWER_MISMATCH)` if a charge is of another kind than what is asked, or what it was made
    of is not known.
    """
    batch: list[Priced[A]] = []
    is_other = False
    for at, charged in enumerate(ahead if asked else ()):
        if at >= len(asked) and charged.batch != ahead[at - 1].batch:
            break
        query = asked[min(at, len(asked) - 1)][0]
        if at >= len(asked) or canonical(query.facts(terms)) != charged.text:
            query, is_other = _restored(query, charged, domain, terms), True
        batch.append((query, charged.units))
    return batch if is_other else [*batch, *asked[len(batch) :]]


@sealed(Code.ANSWER_MISMATCH)  # what lies beside the ledger may be anything by now
def _restored(query: Query[A], charged: Charged, domain: Domain, terms: Terms) -> Query[A]:
    """The query that was charged, of the kind of the one that is asked."""
    facts = charged.query
    if facts["ask"] != query.ask:
        raise ValueError("another kind of question")
    before: Query[A] = query.restored(facts, charged.state())
    if canonical(before.facts(terms)) != charged.text or not before.fits(domain):
        raise ValueError("another question than was charged")
    return before
