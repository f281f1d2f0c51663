"""The append-only ledger, which records every charge and enforces the limits."""

from synth.private.ledger.balance import DEFAULT_LIFETIME, Balance
from synth.private.ledger.batch import Ask
from synth.private.ledger.book import Ledger
from synth.private.ledger.entries import Charged, Run, Stored, canonical
from synth.private.ledger.file import RUN_SECONDS, Patience
from synth.private.ledger.guarantees import Claim, lapse_sentence

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
    "lapse_sentence",
]
