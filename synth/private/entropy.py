"""Provide secret random bytes.

Mechanisms and models must not import this module. Their random numbers are seeded, so that anyone can repeat
them from public facts.
"""

from __future__ import annotations

import hashlib
import os


class Entropy:
    """Random bytes from the operating system, which is the only source for releases."""

    is_rehearsal = False

    def bytes(self, n: int) -> bytes:
        return os.urandom(n)


class Rehearsal(Entropy):
    """Reproducible bytes for practice runs on public data.

    They provide no privacy, and a release refuses them.
    """

    is_rehearsal = True

    def __init__(self, seed: int) -> None:
        self._seed, self._calls = seed, 0

    def bytes(self, n: int) -> bytes:
        self._calls += 1
        return hashlib.shake_256(f"marginalia rehearsal {self._seed} {self._calls}".encode()).digest(n)


OS_ENTROPY = Entropy()
