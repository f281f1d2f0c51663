"""The ledger: `book` is all of it, `door` a batch of questions, `entries` the chain, `limits` and `balance`
its lines, `promises` what they protect and promised, `rules` the database's own."""

from synth.measure.ledger.balance import DEFAULT_LIFETIME, Balance
from synth.measure.ledger.book import Ledger
from synth.measure.ledger.door import Ask
from synth.measure.ledger.entries import Run, Stored
from synth.measure.ledger.file import RUN_SECONDS, Patience
from synth.measure.ledger.promises import Claim, lapse_told

__all__ = [
    "DEFAULT_LIFETIME",
    "RUN_SECONDS",
    "Ask",
    "Balance",
    "Claim",
    "Ledger",
    "Patience",
    "Run",
    "Stored",
    "lapse_told",
]
