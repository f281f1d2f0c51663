"""Exchange parcels through a folder that machines share. A parcel is a public task with its files.

Every step of a parcel is a rename, which can succeed on only one machine.

    FOLDER/
      open/ID          posted, and not taken yet
      taken/ID.N       taken by the N-th worker
      done/ID          ended; the machine that posted it fetches it from here
      draft/           parcels that are being written or removed

A parcel contains order.json, parcel.json and given.zip from the start; events.jsonl and beat.json while it is
taken; stop after a request to stop; status.json, answer.json, fault.json and made.zip at the end.

Lease: the worker of a parcel increases a count in `beat.json`. If another worker sees the same count for the
length of a lease, by its own monotonic clock, it takes over the parcel and renames ID.N to ID.N+1. The clocks
of two machines are never compared with each other or with file times.

Fencing: the path of a worker that lost its lease no longer exists. Its writes fail, and the rename that
would end the parcel fails too. So only one answer is fetched.

Links: no step follows a link in any part of a path below the folder (`nofollow`). If a link has the name of
a parcel, it is ignored. If it has the name of a folder that this program makes, it is refused.

A network disk may show a machine an outdated state for several seconds (`actimeo` in NFS). A lease is longer
than that. If the disk does a rename but reports a failure, the count of the parcel stays the same, and
another worker takes it over.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synth.app.jobs.elsewhere import nofollow
from synth.app.jobs.elsewhere.carrying import json_of, make, pack, put_json, put_text, unpack
from synth.app.jobs.store import Task
from synth.core.errors import Mistake

LEASE_SECONDS = 60.0
SIGNS_IN_A_LEASE = 6
OPEN, TAKEN, DONE, DRAFT = "open", "taken", "done", "draft"
_NAME = re.compile(r"([a-z]+)-[0-9a-f]{24}-[0-9a-f]{8}")
_TAKEN_NAME = re.compile(rf"({_NAME.pattern})\.([0-9]{{1,6}})")
"""Pattern of the names that this program gives to taken parcels. An entry with another name is not a parcel.
It is ignored, and its name is never reported.
"""
WORKER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
NAMELESS = "without a valid name"


class Fenced(Exception):
    """Another worker has taken over the parcel, or it was removed."""


@dataclass(frozen=True)
class Parcel:
    """A parcel that is open (turn 0) or taken by the `turn`-th worker."""

    folder: Path
    name: str
    turn: int

    @property
    def kind(self) -> str:
        return self.name.partition("-")[0]


@dataclass
class Watch:
    """Measure with this machine's clock how long counts have not changed."""

    seen: dict[str, tuple[Any, float]] = field(default_factory=dict)

    def unchanged(self, name: str, count: Any) -> float:
        """Return the seconds since `count` changed or was first seen."""
        now = time.monotonic()
        before, since = self.seen.get(name, (None, now))
        if name not in self.seen or before != count:
            since = now
        self.seen[name] = count, since
        return now - since


@dataclass(frozen=True)
class Parcels:
    """The shared folder, given by its absolute path.

    Every step raises `Mistake` if one of its folders is a link.
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.root.resolve())

    def set_up(self) -> None:
        for name in (OPEN, TAKEN, DONE, DRAFT):
            make(self.root / name)

    # For the machine that posts

    def name_for(self, task: Task) -> str:
        """Return the name of a parcel with the same order and files, or a new name if there is none."""
        stem = f"{task.kind}-{_digest(task)}"
        for place in (*self._lying(DONE), *self._lying(OPEN), *self._taken()):
            name = place.name.partition(".")[0]
            if name.startswith(f"{stem}-") and not self.is_stopped(place):
                return name
        return f"{stem}-{secrets.token_hex(4)}"

    def post(self, task: Task, *, wants: str, program: str, name: str | None = None) -> str:
        """Post a task and return its name. If a parcel of this name exists, it is used. A caller that may be
        stopped at any line gets the name first (`name_for`), so that it can withdraw the parcel."""
        name = name or self.name_for(task)
        if self.whereabouts(name) is not None:
            return name
        draft = make(self.root / DRAFT / name)
        pack(task.given, draft / "given.zip")
        put_json(draft / "order.json", task.order())
        put_json(draft / "parcel.json", {"wants": wants, "program": program})
        nofollow.move(draft, self.root / OPEN / name)
        return name

    def whereabouts(self, name: str) -> Path | None:
        """Return the current path of a parcel, or None if it was removed. It may be renamed at any moment."""
        for _ in range(3):  # it may be renamed meanwhile
            for place in (self.root / DONE / name, self.root / OPEN / name):
                if nofollow.kind_of(place) == stat.S_IFDIR:
                    return place
            for path in self._taken():
                if path.name.rpartition(".")[0] == name:
                    return path
        return None

    def holder(self, place: Path) -> tuple[str, str] | None:
        """Return the last worker of a parcel and its turn, or None before the worker's first count.

        An invalid worker name is not reported, because it could contain anything.
        """
        sign = json_of(place / "beat.json") or {}
        if "worker" not in sign:
            return None
        name = str(sign["worker"])
        return name if WORKER_NAME.fullmatch(name) else NAMELESS, str(sign.get("turn"))

    def ask_to_stop(self, name: str) -> None:
        """Withdraw a parcel. A draft, open or ended parcel is removed immediately. A taken parcel is removed
        by its worker when the worker notices the request.
        """
        with suppress(OSError):
            self._discard(self.root / DRAFT / name)
        for _ in range(3):  # it may be renamed meanwhile
            place = self.whereabouts(name)
            with suppress(OSError):
                if place is not None and place.parent.name == TAKEN:
                    put_text(place / "stop", "")
                elif place is not None:
                    self._discard(place)
                return

    def is_stopped(self, place: Path) -> bool:
        return nofollow.kind_of(place / "stop") != 0

    def fetch(self, name: str, task: Task) -> None:
        """Copy the results of an ended task to this machine. Raises: `Mistake` for a link."""
        place = self.root / DONE / name
        for file in ("answer.json", "fault.json"):
            document = json_of(place / file)
            if document is not None:
                task.keep(file, json.dumps(document))
        shutil.rmtree(task.made, ignore_errors=True)
        with suppress(FileNotFoundError):
            unpack(place / "made.zip", task.made)

    def forget(self, name: str) -> None:
        """Remove a parcel after its answer was fetched."""
        with suppress(OSError):
            self._discard(self.root / DONE / name)

    # For workers

    def open_ones(self) -> list[Parcel]:
        """Return the open parcels, ordered by name and not by the time of posting."""
        return [Parcel(place, place.name, 0) for place in self._lying(OPEN) if _NAME.fullmatch(place.name)]

    def silent_ones(self, watch: Watch, *, lease: float) -> list[Parcel]:
        """Return the parcels whose count has not changed for the length of a lease."""
        found = []
        for path in self._taken():
            count = (json_of(path / "beat.json") or {}).get("count")
            if watch.unchanged(path.name, count) >= lease:
                name, _, turn = path.name.rpartition(".")
                found.append(Parcel(path, name, int(turn)))
        return found

    def ticket(self, parcel: Parcel) -> tuple[str, str]:
        """Return the device that a parcel prefers, and the version of the program that posted it."""
        facts = json_of(parcel.folder / "parcel.json") or {}
        return str(facts.get("wants", "")), str(facts.get("program", ""))

    def take(self, parcel: Parcel) -> Parcel | None:
        """Take an open parcel, or take over a parcel whose count no longer changes.

        Return None if another worker was faster.
        """
        turn = parcel.turn + 1
        mine = Parcel(self.root / TAKEN / f"{parcel.name}.{turn}", parcel.name, turn)
        try:
            nofollow.move(parcel.folder, mine.folder)
            nofollow.remove(mine.folder / "events.jsonl")  # from the previous worker
        except (OSError, Mistake):
            return None
        return mine

    @contextmanager
    def beating(self, parcel: Parcel, *, worker: str, lease: float) -> Iterator[threading.Event]:
        """Increase the count of a parcel during the block. Yield an event that is set when the parcel is
        lost.
        """
        stop, lost = threading.Event(), threading.Event()

        def beat() -> None:
            count = 0
            while True:
                count += 1
                try:
                    sign = {"count": count, "worker": worker, "turn": parcel.turn}
                    put_json(parcel.folder / "beat.json", sign)
                except (OSError, Mistake):
                    lost.set()
                    return
                if stop.wait(lease / SIGNS_IN_A_LEASE):
                    return

        thread = threading.Thread(target=beat, name="lease", daemon=True)
        thread.start()
        try:
            yield lost
        finally:
            stop.set()
            thread.join()

    def show(self, parcel: Parcel, events: str) -> None:
        """Write the public events so far. Raises: `Fenced`."""
        try:
            put_text(parcel.folder / "events.jsonl", events)
        except (OSError, Mistake):
            raise Fenced from None

    def give_back(self, parcel: Parcel) -> None:
        """Reopen a parcel because its worker is stopping."""
        with suppress(OSError, Mistake):
            for left in ("beat.json", "status.json", "events.jsonl"):
                nofollow.remove(parcel.folder / left)
            nofollow.move(parcel.folder, self.root / OPEN / parcel.name)

    def end(self, parcel: Parcel, task: Task, status: dict[str, Any]) -> None:
        """Write the results of a task, and end its parcel in one step. Raises: `Fenced`."""
        try:
            nofollow.remove(parcel.folder / "made.zip")  # from a previous worker
            pack(task.made, parcel.folder / "made.zip")
            for name, document in (("answer.json", task.answer()), ("fault.json", task.fault())):
                if document is not None:
                    put_json(parcel.folder / name, document)
            put_json(parcel.folder / "status.json", status)
            nofollow.move(parcel.folder, self.root / DONE / parcel.name)
        except (OSError, Mistake):
            raise Fenced from None
        if self.is_stopped(self.root / DONE / parcel.name):  # after a stop, no one fetches it
            self.forget(parcel.name)

    def drop(self, parcel: Parcel) -> None:
        """Remove a parcel that was stopped."""
        with suppress(OSError):
            self._discard(parcel.folder)

    def _lying(self, place: str) -> list[Path]:
        """Return the folders in `place`, which is one of the four main folders."""
        return [self.root / place / name for name in nofollow.folders(self.root / place)]

    def _taken(self) -> list[Path]:
        return [path for path in self._lying(TAKEN) if _TAKEN_NAME.fullmatch(path.name)]

    def _discard(self, folder: Path) -> None:
        """Remove a folder. It is first moved to `draft` in one step, then deleted file by file."""
        aside = folder
        if folder.parent.name != DRAFT:
            aside = self.root / DRAFT / f"{folder.name}.{secrets.token_hex(4)}"
            nofollow.move(folder, aside)
        nofollow.remove_folder(aside)


def _digest(task: Task) -> str:
    """Return a digest of a task's order and files."""
    whole = hashlib.sha256(json.dumps(task.order(), sort_keys=True).encode())
    for path in sorted(path for path in task.given.rglob("*") if path.is_file()):
        whole.update(str(path.relative_to(task.given)).encode())
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:24]
