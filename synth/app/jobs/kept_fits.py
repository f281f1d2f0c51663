"""Cache the fits between the rounds of a run in the run's folder until the run is done.

Each fit has one file (0600, in a folder of mode 0700). The name of the file is the key of the fit
(`mechanisms.keys`), which is a digest of all inputs of the fit. A file starts with a checksum of the key and
of the rest of the file. A damaged file is ignored, and the fit is repeated. Fits that took at least
`LEAST_SECONDS` are stored if the files of the run then use at most `MOST_BYTES` and `LEFT_FREE` bytes of the
disk stay free. The weights are computed from noisy measurements, so these files contain no private data.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from synth.app.jobs.store import write
from synth.core.progress import Ended

LEAST_SECONDS = 1.0
MOST_BYTES, LEFT_FREE = 4 << 30, 2 << 30
"""Maximum size in bytes of all files of a run (about 300 fits of the largest network), and minimum free bytes
on the disk.
"""

SUFFIX = ".fit"
_DIGEST = hashlib.sha256().digest_size


class KeptFits:
    """The stored fits of one run in `folder`, which is created with the first fit. Only one process may use
    the folder.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._most_bytes = folder, most_bytes

    def checkpoint(self, key: str) -> KeptFit:
        """Return the checkpoint of a fit, and start to measure its time."""
        return KeptFit(self, key)

    def read(self, key: str) -> Ended:
        """Return the arrays stored under a key, or an empty mapping if they are missing or damaged."""
        try:
            content = self._place(key).read_bytes()
            if content[:_DIGEST] != _checksum(key, content[_DIGEST:]):
                return {}
            with np.load(io.BytesIO(content[_DIGEST:]), allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
        except (ValueError, TypeError, AttributeError, OSError, EOFError, zipfile.BadZipFile):
            return {}

    def write(self, key: str, arrays: Ended) -> None:
        """Store arrays if there is enough space. A disk error does not stop the run."""
        packed, place = io.BytesIO(), self._place(key)
        np.savez(packed, **dict(arrays))  # type: ignore[arg-type]
        content = _checksum(key, packed.getvalue()) + packed.getvalue()
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            kept = sum(path.stat().st_size for path in self._folder.glob(f"*{SUFFIX}") if path != place)
            is_roomy = shutil.disk_usage(self._folder).free >= LEFT_FREE + len(content)
            if is_roomy and kept + len(content) <= self._most_bytes:
                write(place, content)

    def remove(self) -> None:
        """Remove all stored fits."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _place(self, key: str) -> Path:
        return self._folder / f"{key}{SUFFIX}"


class KeptFit:
    """The checkpoint of one fit. It stores the result of the fit, but no intermediate steps."""

    def __init__(self, fits: KeptFits, key: str) -> None:
        self._fits, self._key, self._began = fits, key, time.monotonic()
        self._is_known = False

    def finished(self) -> Ended:
        found = self._fits.read(self._key)
        self._is_known = bool(found)
        return found

    def finish(self, arrays: Ended) -> None:
        if not self._is_known and time.monotonic() - self._began >= LEAST_SECONDS:
            self._fits.write(self._key, arrays)


def _checksum(key: str, body: bytes) -> bytes:
    return hashlib.sha256(key.encode() + body).digest()
