"""The files this installation has released from, so that one table is not charged to two budget lines.

A population's budget line bounds what anybody learns about its people. The same file under the name of
another population has a line of its own, and the two together promise less than either: the steward is told
before anything is reserved, and goes on only by saying that these are other people.

    HOME/known/        0700
      key, lock        32 random bytes in hexadecimal digits (0600), and who is at it
      files.json       the fingerprint of every file under that key, and the runs started on it with their
                       populations and ledgers (0600)

Only a copy that is equal byte for byte is noticed; the file itself is read on the private side,
by `reading.parts`. Privacy: a fingerprint says nothing without the key beside it. What it finds is an
exact fact about private rows: a sentence for the steward alone, in the status of a run that ends before it
reserves. The steward's answer stays in the run's folder. Neither is ever published.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import Enum, auto
from pathlib import Path

from synth.app.jobs.locks import hold
from synth.app.jobs.store import write
from synth.core.errors import MarginaliaError, Mistake
from synth.core.system.address import Address
from synth.core.system.places import home, made
from synth.private.ledger import Ledger
from synth.private.ledger.population import fold
from synth.private.reading.parts import fingerprint

KEY, FILES = "key", "files.json"
_KEY_BYTES = 32
CODE = "known_file"
PATIENCE_SECONDS = 60.0
_BUSY = (
    "Another run has been at the list of files released from for too long: {path!r}. Nothing was reserved. "
    "Wait until it has finished, then resume this run."
)
_UNREADABLE = (
    "The list of files released from cannot be read: {path!r}. Restore it, or move it away if you know that "
    "no table is released under two populations."
)


class ReleasedBefore(Mistake):
    """This very file has been released from before, or is about to be, under another population."""

    code = CODE

    def __init__(self, ours: str, theirs: str, *, run: str, spent: bool) -> None:
        was = "was released from before" if spent else "is about to be released from"
        unless = "" if spent else f" If the run {run!r} shall not go on, discard it, and resume this one."
        super().__init__(
            f"This very file {was}, as population {theirs!r}. Two populations for the "
            f"same people break the promise: what is spent on {ours!r} is not counted there. Nothing was "
            f"reserved. If these are the same people, discard this run and name the population {theirs!r}; "
            f"if they are others, say so and resume.{unless} This is for the steward alone: that two files "
            "are the same tells something about their rows, so publish nothing of it."
        )


def check(data: Address | Path, *, population: str, run: str, ledger: Path, others: bool = False) -> None:
    """Write down that a run is about to use its file; `others` says that its people were never in one before.

    Raises: `ReleasedBefore`, and then nothing was written down.

    A file that cannot be read is left for the run to refuse. A run counts once it has reserved, as it may be
    charged at any time, and ever after if it was charged; closed without a charge it counts for nothing.
    Two runs that are checked before either of them has reserved pass each other.
    """
    folder = made(home() / "known")
    with _alone(folder):
        key = _key(folder)
    digest = fingerprint(data, key=key)
    if digest is None:
        return
    with _alone(folder):
        files = _files(folder)
        runs = files.setdefault(digest, {})
        for earlier, (theirs, place) in runs.items():
            if fold(theirs) == fold(population) or others:
                continue
            use = _use_of(earlier, place)
            if use is not None:
                raise ReleasedBefore(population, theirs, run=earlier, spent=use is _Use.SPENT)
        runs[run] = (population, str(ledger.absolute()))
        write(folder / FILES, json.dumps(files))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Raises: `Mistake` if another run does not let go: without the lock its entry could be lost."""
    with hold(folder / "lock", patience=PATIENCE_SECONDS) as free:
        if not free:
            raise Mistake(_BUSY.format(path=str(folder)))
        yield


def _key(folder: Path) -> bytes:
    path = folder / KEY
    if not path.exists():
        write(path, secrets.token_hex(_KEY_BYTES))
    try:
        key = bytes.fromhex(path.read_text())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:  # under no key at all a fingerprint would be a plain hash
        raise Mistake(_UNREADABLE.format(path=str(path)))
    return key


def _files(folder: Path) -> dict[str, dict[str, tuple[str, str]]]:
    """By fingerprint and run: the population and its ledger, "" for runs of before that was kept."""
    path = folder / FILES
    try:
        kept = json.loads(path.read_text()) if path.exists() else {}
        return {
            file: {
                run: (entry, "") if isinstance(entry, str) else tuple(entry) for run, entry in runs.items()
            }
            for file, runs in kept.items()
        }
    except (ValueError, AttributeError, TypeError):
        raise Mistake(_UNREADABLE.format(path=str(path))) from None


class _Use(Enum):
    SPENT = auto()
    RESERVED = auto()


def _use_of(run: str, ledger: str) -> _Use | None:
    """What a run has done to its budget line, None for nothing; one whose ledger is gone may have spent."""
    if not ledger or not Path(ledger).exists():
        return _Use.SPENT
    try:
        with closing(Ledger(Path(ledger))) as book:
            known = [one for one in book.runs() if one.run == run]
    except MarginaliaError:
        return _Use.SPENT
    if any(one.spent for one in known):
        return _Use.SPENT
    return _Use.RESERVED if any(one.closed is None for one in known) else None
