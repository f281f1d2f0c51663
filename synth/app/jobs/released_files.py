"""Remember the files of earlier releases, so that one table is not charged to two lifetime budgets.

The lifetime budget of a population limits what anyone can learn about its people. If the same file is
released under another population, that population has its own budget, and the two together give a weaker
guarantee. The steward sees a warning before the run reserves budget, and can continue only by confirming that
these are other people.

    HOME/known/        0700
      key              32 random bytes in hexadecimal digits (0600)
      lock             held by the process that reads or changes the list
      files.json       the fingerprint of every file under that key, and the runs started on it with their
                       populations and ledgers (0600)

Only an exact copy of a file is recognised. The private side reads the file itself (`reading.parts`).
Privacy: a fingerprint reveals nothing without the key. A match is an exact fact about private rows. It is
reported only to the steward, in the status of a run that ends before it reserves budget. The answer of the
steward stays in the run's folder. Neither the match nor the answer is ever published.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from synth.app.jobs.locks import hold
from synth.app.jobs.store import write
from synth.core.errors import MarginaliaError, Mistake
from synth.core.system.address import Address
from synth.core.system.places import home, made
from synth.private.ledger import Ledger
from synth.private.ledger.population import fold
from synth.private.reading.parts import fingerprint

if TYPE_CHECKING:
    from synth.private.frame import Frame

KEY, FILES = "key", "files.json"
_KEY_BYTES = 32
CODE = "known_file"
PATIENCE_SECONDS = 60.0
_BUSY = (
    "Another run is keeping the list of released files locked: {path!r}. Wait until it has finished, then "
    "resume this run. No budget was reserved."
)
_UNREADABLE = (
    "The list of released files cannot be read: {path!r}. Restore it, or move it away if you never release "
    "a table under two populations."
)


class ReleasedBefore(Mistake):
    """The same file was released, or is about to be released, under another population."""

    code = CODE

    def __init__(self, ours: str, theirs: str, *, run: str, spent: bool) -> None:
        was = "was released before" if spent else "is about to be released"
        unless = "" if spent else f" Or discard the run {run!r}, and resume this one."
        super().__init__(
            f"The same file {was} as population {theirs!r}. If these are the same people, budget spent on "
            f"{ours!r} would not count there. Discard this run and use the population {theirs!r}. If they "
            f"are other people, confirm that and resume.{unless} Keep this message confidential: it "
            "reveals that two files are equal, which is a fact about their rows. No budget was reserved."
        )


def check(
    data: Address | Path | Frame, *, population: str, run: str, ledger: Path, others: bool = False
) -> None:
    """Record that a run is about to use its file.

    `others` states that the people of this run were in no earlier release. Raises: `ReleasedBefore`, in which
    case nothing is recorded. A file that cannot be read passes this check, and the run refuses it later.

    An earlier run counts while its reservation is open, and permanently once it has spent budget. An earlier
    run that was closed without a charge does not count. If two runs are checked before either has reserved
    budget, no match is reported.
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
            is_spent, is_open = _use_of(earlier, place)
            if is_spent or is_open:
                raise ReleasedBefore(population, theirs, run=earlier, spent=is_spent)
        runs[run] = (population, str(ledger.absolute()))
        write(folder / FILES, json.dumps(files))


def check_public(path: Path) -> None:
    """Check that a file that was declared public is not the private table of a run on this machine. Raises:
    `Mistake`.
    """
    folder = made(home() / "known")
    with _alone(folder):
        digest = fingerprint(path, key=_key(folder))
        if digest is not None and digest in _files(folder):
            raise Mistake(
                f"The starting table {str(path)!r} is the private table of a release, so it is not "
                "public. Choose another starting table. No budget was spent."
            )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the list, so that no entry is lost. Raises: `Mistake` if another run keeps it locked."""
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
    if len(key) != _KEY_BYTES:  # without a key, a fingerprint would be a plain hash
        raise Mistake(_UNREADABLE.format(path=str(path)))
    return key


def _files(folder: Path) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the population and ledger of each run, by fingerprint and run. For runs of early versions, the
    ledger is "".
    """
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


def _use_of(run: str, ledger: str) -> tuple[bool, bool]:
    """Return whether a run has spent budget, and whether its reservation is open.

    If its ledger is missing, the run counts as one that has spent budget.
    """
    if not ledger or not Path(ledger).exists():
        return True, False
    try:
        with closing(Ledger(Path(ledger))) as book:
            known = [one for one in book.runs() if one.run == run]
    except MarginaliaError:
        return True, False
    return any(one.spent for one in known), any(one.closed is None for one in known)
