"""The fingerprint of a private file under a key: what tells two equal files without keeping either.

Like every reading of private bytes it is done in this room; who asks gets the digest and nothing else.

Privacy: a fingerprint says nothing without its key. That two of them are equal is an exact fact about private
rows, for the steward alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

CHUNK = 1 << 20


def fingerprint(path: Path, *, key: bytes) -> str | None:
    """BLAKE2b of a file's bytes under `key` (at most 64 bytes): 64 hexadecimal digits.

    None for what is no file or cannot be read, which is left for the run that opens it to refuse.
    """
    if not path.is_file():
        return None
    digest = hashlib.blake2b(key=key, digest_size=32, person=b"known")
    try:
        with path.open("rb", buffering=0) as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return digest.hexdigest()
