"""The ledger: `book` is all of it, `door` a batch of questions, `entries` the chain, `limits` and
`balance` the lines, and
`rules` are the database's own."""

from synth.measure.ledger.balance import DEFAULT_LIFETIME, Balance
from synth.measure.ledger.book import Ledger, default_path
from synth.measure.ledger.door import Ask
from synth.measure.ledger.entries import Run, Stored
from synth.measure.ledger.promises import Claim, lapse_told

__all__ = [
    "DEFAULT_LIFETIME",
    "Ask",
    "Balance",
    "Claim",
    "Ledger",
    "Run",
    "Stored",
    "default_path",
    "lapse_told",
]
