"""The ledger: `book` is all of it, `batch` questions charged together, `entries` the
chain, `blobs` what lies beside the file, `limits` and `balance`
its lines, `promises` what they protect and promised, `rules` the database's own."""

from synth.measure.ledger.balance import DEFAULT_LIFETIME, Balance
from synth.measure.ledger.batch import Ask
from synth.measure.ledger.book import Ledger
from synth.measure.ledger.entries import Charged, Run, Stored, canonical
from synth.measure.ledger.file import RUN_SECONDS, Patience
from synth.measure.ledger.promises import Claim, lapse_told

__all__ = [
    "DEFAULT_LIFETIME",
    "RUN_SECONDS",
    "Ask",
    "Balance",
    "Charged",
    "Claim",
    "Ledger",
    "Patience",
    "Run",
    "Stored",
    "canonical",
    "lapse_told",
]
