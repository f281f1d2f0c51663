"""Finished bundles, opened once for all pages and remembered under their checksums: all in them is public."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.release.layout import CHECKSUMS
from synth.release.opened import Bundle, open_bundle

UNREADABLE = "This release cannot be read: a file of its bundle is missing or damaged."


def checksums_of(folder: Path) -> bytes:
    """What a bundle is remembered under; another bundle in the same place has others. Raises: `Mistake`."""
    try:
        return (folder / CHECKSUMS).read_bytes()
    except OSError:
        raise Mistake(UNREADABLE) from None


def opened(folder: Path) -> Bundle:
    """A bundle of this app; the last few are remembered. Raises: `Mistake` if there is none."""
    return _opened(folder, checksums_of(folder))


@lru_cache(maxsize=8)
def _opened(folder: Path, checksums: bytes) -> Bundle:
    return open_bundle(folder)


def evidence_of(folder: Path) -> Evidence:
    """The evidence of a bundle. Raises: `Mistake` if it is damaged."""
    try:
        return opened(folder).evidence
    except (Mistake, ValueError):
        raise Mistake(UNREADABLE) from None
