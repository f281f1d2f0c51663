"""Check, before spending budget, that a package or file can be written to its path, and set its dates."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synth.core.errors import Mistake

DAY = 86_400
"""Seconds."""
ANOTHER = "Name another path that is new or empty, and that can be written to."


def is_taken(out: Path) -> bool:
    """Whether the path already has files that a package would be mixed with."""
    return out.exists() and (not out.is_dir() or any(out.iterdir()))


def check_free(out: Path, *, advice: str = ANOTHER) -> None:
    """Raise `Mistake` if a bundle cannot be written to `out`: it is a file, or a folder that is not empty."""
    with writing(out, advice=advice):
        if is_taken(out):
            raise Mistake(f"{str(out)!r} is not an empty folder. {advice}")


def check_place(out: Path, *, advice: str = ANOTHER) -> None:
    """Create and remove a folder with one file, to test that a package can be written.

    Raises: `Mistake` if the path is taken or cannot be written to.
    """
    check_free(out, advice=advice)
    with writing(out, advice=advice):
        _try(out)


@contextmanager
def writing(out: Path, *, advice: str = ANOTHER) -> Iterator[None]:
    """Convert a disk error inside this context to a `Mistake` about `out`."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the disk gives no reason"
        raise Mistake(f"{str(out)!r} cannot be written to ({reason}). {advice}") from None


def date_to_day(place: Path) -> None:
    """Round the modification times of a file, or of a folder and all its contents, down to the day.

    A copy that keeps these times therefore reveals no more than the documents do: how long the private steps
    took stays unknown.
    """
    today = time.time() // DAY * DAY
    for part in (*place.rglob("*"), place):
        os.utime(part, (today, today))


def _try(out: Path) -> None:
    missing, is_new = [folder for folder in out.parents if not folder.exists()], not out.exists()
    trial = out.with_name(
        f".{out.name}.{secrets.token_hex(48)}"
    )  # a name of the same length as the names of drafts
    try:
        trial.mkdir(parents=True)
        (trial / "trial").write_bytes(b"trial")
        (trial / "trial").unlink()
        if not is_new:
            shutil.copymode(out, trial)
        trial.rename(out)
        if is_new:
            out.rmdir()
    finally:
        shutil.rmtree(trial, ignore_errors=True)
        for folder in missing:
            with suppress(OSError):  # another process has written there in the meantime
                folder.rmdir()
