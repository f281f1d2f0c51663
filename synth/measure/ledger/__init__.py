"""The ledger: `book` is all of it, `door` a batch of questions, `entries` the chain, `limits` the lines, and
`rules` are the database's own."""

from synth.measure.ledger.book import Ledger, default_path
from synth.measure.ledger.door import Ask
from synth.measure.ledger.entries import Run, Stored
from synth.measure.ledger.limits import DEFAULT_LIFETIME, Balance

__all__ = [
    "DEFAULT_LIFETIME",
    "Ask",
    "Balance",
    "Ledger",
    "Run",
    "Stored",
    "default_path",
]
