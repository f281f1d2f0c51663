"""How a run that was interrupted goes on: the transcript leads.

Questions are made of the floats of a fit, and those may come out otherwise on another machine or with another
library. So a question that was charged before is asked again as it was charged, with its price: its facts are
in the ledger, and the public numbers it was made of lie beside it. Only a question that was never charged is
asked as it is now. Privacy: nothing is asked that was not charged, at the price that was charged.
"""

from __future__ import annotations

from collections.abc import Sequence

from synth.core.domain import Domain
from synth.core.errors import Code
from synth.private.ledger import Charged, canonical
from synth.private.queries import A, Question
from synth.private.sealed import sealed
from synth.private.terms import Terms

Priced = tuple[Question[A], int]
"""A question and its price in units."""


def resumed(
    asked: Sequence[Priced[A]], ahead: Sequence[Charged], *, domain: Domain, terms: Terms
) -> list[Priced[A]]:
    """The questions to ask now: those of `ahead` as they were charged, then what was not charged yet.

    Charges are written down as batches. Where one of them is another question than the one asked now, its
    batch stands for all that is asked, whether that is more or less.

    Raises: `Refusal(ANSWER_MISMATCH)` if a charge is of another kind than what is asked, or what it was made
    of is not known.
    """
    batch: list[Priced[A]] = []
    is_other = False
    for at, charged in enumerate(ahead if asked else ()):
        if at >= len(asked) and charged.batch != ahead[at - 1].batch:
            break
        question = asked[min(at, len(asked) - 1)][0]
        if at >= len(asked) or canonical(question.facts(terms)) != charged.text:
            question, is_other = _restored(question, charged, domain, terms), True
        batch.append((question, charged.units))
    return batch if is_other else [*batch, *asked[len(batch) :]]


@sealed(Code.ANSWER_MISMATCH)  # what lies beside the ledger may be anything by now
def _restored(question: Question[A], charged: Charged, domain: Domain, terms: Terms) -> Question[A]:
    """The question that was charged, of the kind of the one that is asked."""
    facts = charged.question
    if facts["ask"] != question.ask:
        raise ValueError("another kind of question")
    before: Question[A] = question.restored(facts, charged.state())
    if canonical(before.facts(terms)) != charged.text or not before.fits(domain):
        raise ValueError("another question than was charged")
    return before
