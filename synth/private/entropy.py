"""Where secret random bytes come from.

No mechanism and no model may import this: what they draw is seeded, and so can be drawn again from what is
public.
"""

from __future__ import annotations

import hashlib
import os


class Entropy:
    """Random bytes from the operating system: the only source a release may use."""

    is_rehearsal = False

    def bytes(self, n: int) -> bytes:
        return os.urandom(n)


class Rehearsal(Entropy):
    """Reproducible bytes for rehearsals on public data. Not private: the release gate refuses its results."""

    is_rehearsal = True

    def __init__(self, seed: int) -> None:
        self._seed, self._calls = seed, 0

    def bytes(self, n: int) -> bytes:
        self._calls += 1
        return hashlib.shake_256(f"marginalia rehearsal {self._seed} {self._calls}".encode()).digest(n)


OS_ENTROPY = Entropy()
