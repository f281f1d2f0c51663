"""The ledger's key, and what a receipt shows of the chain under it.

Entries carry the second they were made. A hash of the chain on a published receipt would tell these seconds
to whoever tries them all, which takes moments; so a receipt carries an HMAC-SHA256 of its own content and of
the chain's link. Without the key, 32 random bytes that never leave the ledger's file, it says nothing; with
it, whoever holds the ledger can check that a receipt is unchanged and its link is still in the chain.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sqlite3
from collections.abc import Mapping
from typing import Any

KEY_BYTES = 32
NAME = "commitment"
"""The receipt's field that holds it."""


def make_key(db: sqlite3.Connection) -> None:
    """Give a new or upgraded ledger its key; a ledger has one for good."""
    db.execute("INSERT INTO secret (id, key) VALUES (1, ?)", (secrets.token_bytes(KEY_BYTES),))


def has_key(db: sqlite3.Connection) -> bool:
    """Whether the key is there; the table's own rules say that it is one and whole."""
    return bool(db.execute("SELECT count(*) FROM secret").fetchone()[0])


def commitment_of(db: sqlite3.Connection, receipt: Mapping[str, Any], *, head: str) -> str:
    """The commitment to a receipt and the hash of the entry it stands at, as hexadecimal digits."""
    key = db.execute("SELECT key FROM secret").fetchone()[0]
    told = [{name: value for name, value in receipt.items() if name != NAME}, head]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hmac.new(key, text.encode(), "sha256").hexdigest()
