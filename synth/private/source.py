"""The wall, seen from outside: priced queries are asked, and their answers handed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from synth.core.domain import Domain
from synth.private.queries import A, Query
from synth.private.terms import Allowance, Terms


class Source(Protocol):
    """All that a mechanism sees of a table. A query is charged before a row is looked at.

    Implemented by `private.session.PrivateSource` (the real one, which also answers from a transcript:
    `private.replay`) and `private.exact.Exact` (no noise; tests and public data only).
    """

    @property
    def domain(self) -> Domain:
        """Names and sizes of the codes (after the groupings the source was made with)."""
        ...

    @property
    def terms(self) -> Terms:
        """What one unit moves, what noise a price buys, and the number of rows if it is public."""
        ...

    @property
    def left(self) -> Allowance:
        """What this account may still spend; a function of prices, never of data."""
        ...

    def ask(self, asked: Sequence[tuple[Query[A], float]]) -> tuple[A, ...]:
        """The answers to queries at a price in rho each, asked as if one after the other: paid for
        together, and not at all if what is left does not cover them. So they are asked together where no
        price follows from an answer among them.

        Answers say what they are answers to, and it is they that count: a run that is resumed hears again
        what it was charged for before, in as many answers as there were then, whatever floats its queries
        are made of this time.

        Raises: `Refusal(QUERY_INVALID)` for a query that is none in this domain or on these terms,
        `BudgetRefused`; nothing is charged then.
        """
        ...
