"""The ledger: `book` is all of it, `door` a batch of questions, `entries` the chain, `limits` the lines, and
`rules` are the database's own."""

from synth.measure.ledger.book import DEFAULT_DELTA_UNITS, DEFAULT_LIFETIME, Ledger
from synth.measure.ledger.door import Ask
from synth.measure.ledger.entries import Run, Stored
from synth.measure.ledger.file import RUN_SECONDS, Patience
from synth.measure.ledger.limits import Balance
from synth.places import ledger as default_path

__all__ = [
    "DEFAULT_DELTA_UNITS",
    "DEFAULT_LIFETIME",
    "RUN_SECONDS",
    "Ask",
    "Balance",
    "Ledger",
    "Patience",
    "Run",
    "Stored",
    "default_path",
]
