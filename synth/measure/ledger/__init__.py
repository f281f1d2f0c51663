"""The ledger: `book` is the door, `entries` reads and writes the chain, `rules` are the database's own."""

from synth.measure.ledger.book import DEFAULT_DELTA_UNITS, DEFAULT_LIFETIME, Ledger, default_path
from synth.measure.ledger.entries import Balance, Run, Stored

__all__ = ["DEFAULT_DELTA_UNITS", "DEFAULT_LIFETIME", "Balance", "Ledger", "Run", "Stored", "default_path"]
