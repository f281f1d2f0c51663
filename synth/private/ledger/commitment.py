"""Commit a receipt to the ledger's chain with a secret key.

Entries contain the second at which they were made. A published hash of the chain would reveal these times,
because trying all possible times takes only moments. So a receipt contains an HMAC-SHA256 of the rest of its
content and of its link to the chain. It reveals nothing without the key, which consists of 32 random bytes
that never leave the ledger's file. With the key, the holder of the ledger can check that a receipt is
unchanged and that its link is still in the chain.
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
"""The field of a receipt that holds the commitment."""


def make_key(db: sqlite3.Connection) -> None:
    """Create the key of a new or upgraded ledger. The key never changes."""
    db.execute("INSERT INTO secret (id, key) VALUES (1, ?)", (secrets.token_bytes(KEY_BYTES),))


def has_key(db: sqlite3.Connection) -> bool:
    """Whether the key exists. The rules of its table allow at most one key, which must have the full
    length.
    """
    return bool(db.execute("SELECT count(*) FROM secret").fetchone()[0])


def commitment_of(db: sqlite3.Connection, receipt: Mapping[str, Any], *, head: str) -> str:
    """Return the commitment to a receipt and to the hash of its entry, as hexadecimal digits."""
    key = db.execute("SELECT key FROM secret").fetchone()[0]
    fields = [{name: value for name, value in receipt.items() if name != NAME}, head]
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hmac.new(key, text.encode(), "sha256").hexdigest()
