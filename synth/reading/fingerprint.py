"""The fingerprint of a private file under a key: what tells two equal files without keeping either.

Like every reading of private bytes it is done in this room; who asks gets the digest and nothing else.

Privacy: a fingerprint says nothing without its key. That two of them are equal is an exact fact about private
rows, for the steward alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from synth.address import Address, address_of
from synth.errors import Refusal
from synth.reading.parts import files_of

CHUNK = 1 << 20


def fingerprint(place: Address | Path | str, *, key: bytes) -> str | None:
    """BLAKE2b of a table's files under `key` (at most 64 bytes): 64 hexadecimal digits.

    Of a file the hash of its bytes; of several the hash of their hashes, whatever they are called. None for
    what is no table or cannot be read, which is left for the run that opens it to refuse. Of a database its
    connection's name: under another name the same table is not noticed.
    """
    address = place if isinstance(place, Address) else address_of(place)
    if address.connection:
        return hashlib.blake2b(str(address).encode(), key=key, digest_size=32, person=b"database").hexdigest()
    try:
        digests = [_digest(path, key) for path in files_of(address)]
    except (OSError, Refusal):
        return None
    if len(digests) == 1 and not address.table:
        return digests[0].hex()
    whole = hashlib.blake2b(key=key, digest_size=32, person=b"several")
    for digest in (*sorted(digests), address.table.encode()):
        whole.update(digest)
    return whole.hexdigest()


def _digest(path: Path, key: bytes) -> bytes:
    digest = hashlib.blake2b(key=key, digest_size=32, person=b"known")
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.digest()
