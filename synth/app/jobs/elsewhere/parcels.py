"""A folder that machines share. Every step of a parcel is one rename, which only one of them can win.

    FOLDER/
      open/ID          posted, taken by no one
      taken/ID.N       taken by the N-th worker
      done/ID          ended; the one who posted it fetches it from here
      stop/ID          present once a stop was requested
      draft/           what is being written
      workers/NAME     what a worker can do, and its count of signs of life

    in a parcel:       order.json, parcel.json, given/ as posted; status.json and events.jsonl, with beat.json
                       while it is taken; answer.json, fault.json and made/ at the end

Lease: the worker of a parcel counts up in `beat.json`. Another that saw the same count for the length of a
lease, by its own monotonic clock, takes the parcel over by renaming ID.N to ID.N+1. Clocks of two machines
are never compared, nor a clock with the times of files.

Fencing: the path of a worker that lost its lease no longer exists. Its writes fail, and so does the rename
that would end the parcel, so that one answer is fetched.

Links: no step follows one, in any part of a path below the folder (`nofollow`). A link in the place of a
parcel is ignored; one in the place of a folder that is made here is refused.

Age: a worker removes what it saw unchanged for days: unclaimed answers and orders, drafts, and stop requests.
Parcels that are taken stay. An order that is taken at the same moment is either taken or gone.

A network disk may show a machine an old state for some seconds (`actimeo` of NFS): a lease is longer than
that. A rename that the disk did and reported as failed leaves a parcel without signs of life; it is taken
over.
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
from synth.app.jobs.elsewhere.carrying import (
    FILE_MODE,
    copy_below,
    digests_below,
    json_of,
    make,
    put_json,
    put_text,
)
from synth.app.jobs.store import Task
from synth.core.errors import Mistake

LEASE_SECONDS = 60.0
SIGNS_IN_A_LEASE = 6
OPEN, TAKEN, DONE, STOP, DRAFT, WORKERS = "open", "taken", "done", "stop", "draft", "workers"
_NAME = re.compile(r"([a-z]+)-[0-9a-f]{24}-[0-9a-f]{8}")
_TAKEN_NAME = re.compile(rf"({_NAME.pattern})\.([0-9]{{1,6}})")
_LEFT_NAME = re.compile(rf"\.?({_NAME.pattern})(\.[0-9]{{1,6}})?(\.[0-9a-f]{{8}})?")
"""The names that this program gives to parcels, drafts and stop requests. Anything with another name belongs
to someone else: it is left alone, and its name is never reported."""
WORKER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
NAMELESS = "without a proper name"


class Fenced(Exception):
    """Another worker has the parcel, or it is gone."""


@dataclass(frozen=True)
class Parcel:
    """A parcel that is open (turn 0), or taken by the `turn`-th worker."""

    folder: Path
    name: str
    turn: int

    @property
    def kind(self) -> str:
        return self.name.partition("-")[0]


@dataclass
class Watch:
    """How long something has not changed, by this machine's own clock."""

    seen: dict[str, tuple[Any, float]] = field(default_factory=dict)

    def unchanged(self, name: str, count: Any) -> float:
        """Return the seconds since `count` changed, or was first seen."""
        now = time.monotonic()
        before, since = self.seen.get(name, (None, now))
        if name not in self.seen or before != count:
            since = now
        self.seen[name] = count, since
        return now - since


@dataclass(frozen=True)
class Parcels:
    """The shared folder, by its full path.

    Raises, in every step: `Mistake` where one of its places is a link.
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.root.resolve())

    def set_up(self) -> None:
        for name in (OPEN, TAKEN, DONE, STOP, DRAFT, WORKERS):
            make(self.root / name)

    # For those who post

    def name_for(self, task: Task) -> str:
        """Return the name of a task: that of one with the same order and files, or a new one."""
        stem = f"{task.kind}-{_digest(task)}"
        for name in self._known(stem):
            if not self.is_stopped(name):
                return name
        return f"{stem}-{secrets.token_hex(4)}"

    def post(self, task: Task, *, wants: str, program: str, name: str | None = None) -> str:
        """Post a task and return its name; one that is there is joined. A caller that may be stopped at any
        line gets the name first (`name_for`), to withdraw what was posted at that moment."""
        name = name or self.name_for(task)
        if self.whereabouts(name) is not None:
            return name
        draft = make(self.root / DRAFT / name)
        copy_below(task.given, draft / "given", shared=True)
        put_json(draft / "order.json", task.order())
        put_json(draft / "parcel.json", {"wants": wants, "program": program})
        nofollow.move(draft, self.root / OPEN / name)
        return name

    def whereabouts(self, name: str) -> Path | None:
        """Return where a parcel is now, None if it is gone. It may move at any moment."""
        for _ in range(3):  # it may be renamed meanwhile
            for place in (self.root / DONE / name, self.root / OPEN / name):
                if nofollow.kind_of(place) == stat.S_IFDIR:
                    return place
            for path in self._taken():
                if path.name.rpartition(".")[0] == name:
                    return path
        return None

    def holder(self, place: Path) -> tuple[str, str] | None:
        """Return the last worker of a parcel and its turn; None before its first sign of life.

        A name that no worker can have is not reported: it may hold anything."""
        sign = json_of(place / "beat.json") or {}
        if "worker" not in sign:
            return None
        name = str(sign["worker"])
        return name if WORKER_NAME.fullmatch(name) else NAMELESS, str(sign.get("turn"))

    def ask_to_stop(self, name: str) -> None:
        """Withdraw a parcel: it is removed at once, a draft too, or when its worker notices."""
        nofollow.put(self.root / STOP / name, b"", mode=FILE_MODE)
        for place in (DRAFT, OPEN, DONE):
            with suppress(OSError):
                self._discard(self.root / place / name)
        if self.whereabouts(name) is None:
            nofollow.remove(self.root / STOP / name)

    def is_stopped(self, name: str) -> bool:
        return nofollow.kind_of(self.root / STOP / name) != 0

    def fetch(self, name: str, task: Task) -> None:
        """Copy the results of an ended task to this machine. Raises: `Mistake` for a link."""
        place = self.root / DONE / name
        for file in ("answer.json", "fault.json"):
            document = json_of(place / file)
            if document is not None:
                task.keep(file, json.dumps(document))
        shutil.rmtree(task.made, ignore_errors=True)
        copy_below(place / "made", task.made, shared=False)

    def forget(self, name: str) -> None:
        """Remove a parcel whose answer was fetched."""
        with suppress(OSError):
            self._discard(self.root / DONE / name)

    # For workers

    def open_ones(self) -> list[Parcel]:
        """Return the open parcels, in the order of their names, which is no one's."""
        place = self.root / OPEN
        return [Parcel(place / name, name, 0) for name in nofollow.folders(place) if _NAME.fullmatch(name)]

    def silent_ones(self, watch: Watch, *, lease: float) -> list[Parcel]:
        """Return the parcels whose worker gave no sign of life for the length of a lease."""
        found = []
        for path in self._taken():
            count = (json_of(path / "beat.json") or {}).get("count")
            if watch.unchanged(path.name, count) >= lease:
                name, _, turn = path.name.rpartition(".")
                found.append(Parcel(path, name, int(turn)))
        return found

    def ticket(self, parcel: Parcel) -> tuple[str, str]:
        """Return what a parcel wants of a machine, and the version of the program that posted it."""
        facts = json_of(parcel.folder / "parcel.json") or {}
        return str(facts.get("wants", "")), str(facts.get("program", ""))

    def take(self, parcel: Parcel) -> Parcel | None:
        """Take an open parcel, or take over a silent one; None if another worker was faster."""
        turn = parcel.turn + 1
        mine = Parcel(self.root / TAKEN / f"{parcel.name}.{turn}", parcel.name, turn)
        try:
            nofollow.move(parcel.folder, mine.folder)
            nofollow.remove(mine.folder / "events.jsonl")  # of the worker that was lost
        except (OSError, Mistake):
            return None
        return mine

    @contextmanager
    def beating(self, parcel: Parcel, *, worker: str, lease: float) -> Iterator[threading.Event]:
        """Show signs of life during the block. Yields an event that is set once the parcel is lost."""
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
        """Write the public facts so far. Raises: `Fenced`."""
        try:
            put_text(parcel.folder / "events.jsonl", events)
        except (OSError, Mistake):
            raise Fenced from None

    def give_back(self, parcel: Parcel) -> None:
        """Open a parcel again, for a worker that leaves."""
        with suppress(OSError, Mistake):
            for left in ("beat.json", "status.json", "events.jsonl"):
                nofollow.remove(parcel.folder / left)
            nofollow.move(parcel.folder, self.root / OPEN / parcel.name)

    def end(self, parcel: Parcel, task: Task, status: dict[str, Any]) -> None:
        """Write the results of a task, and end its parcel in one step. Raises: `Fenced`."""
        try:
            nofollow.remove_folder(parcel.folder / "made")
            copy_below(task.made, parcel.folder / "made", shared=True)
            for name, document in (("answer.json", task.answer()), ("fault.json", task.fault())):
                if document is not None:
                    put_json(parcel.folder / name, document)
            put_json(parcel.folder / "status.json", status)
            nofollow.move(parcel.folder, self.root / DONE / parcel.name)
        except (OSError, Mistake):
            raise Fenced from None
        if self.is_stopped(parcel.name):  # requested meanwhile: no one fetches it
            self.ask_to_stop(parcel.name)

    def drop(self, parcel: Parcel) -> None:
        """Remove a parcel that was stopped."""
        with suppress(OSError):
            self._discard(parcel.folder)
            nofollow.remove(self.root / STOP / parcel.name)

    def announce(self, worker: str, *, devices: tuple[str, ...], count: int) -> None:
        """Write what a worker can do, with a sign of life."""
        put_json(self.root / WORKERS / worker, {"devices": list(devices), "count": count})

    def say_goodbye(self, worker: str) -> None:
        nofollow.remove(self.root / WORKERS / worker)

    def has_a_worker_with(self, device: str, watch: Watch, *, lease: float) -> bool:
        """Return whether a worker with this device showed a sign of life within a lease."""
        place = self.root / WORKERS
        for name in (name for name in nofollow.files(place) if not name.startswith(".")):
            facts = json_of(place / name) or {}
            is_silent = watch.unchanged(f"worker {name}", facts.get("count")) >= lease
            if device in facts.get("devices", ()) and not is_silent:
                return True
        return False

    def clear_out(self, watch: Watch, *, age: float) -> list[str]:
        """Remove what has not changed for `age` seconds, and return what it was."""
        held = {path.name.rpartition(".")[0] for path in self._taken()}
        folders = [self.root / place / name for place in (OPEN, DONE, DRAFT) for name in self._folders(place)]
        stops = [self.root / STOP / name for name in nofollow.files(self.root / STOP) if name not in held]
        gone = []
        for path in (*folders, *(path for path in stops if _LEFT_NAME.fullmatch(path.name))):
            if watch.unchanged(str(path), nofollow.change_of(path)) < age:
                continue
            with suppress(OSError, Mistake):
                if path.parent.name == STOP:
                    nofollow.remove(path)
                elif path.parent.name == DRAFT:
                    nofollow.remove_folder(path)
                else:
                    self._discard(path)
                gone.append(f"{path.parent.name}/{path.name}")
        return gone

    def _folders(self, place: str) -> list[str]:
        names = _LEFT_NAME if place == DRAFT else _NAME
        return [name for name in nofollow.folders(self.root / place) if names.fullmatch(name)]

    def _known(self, stem: str) -> list[str]:
        lying = [name for place in (DONE, OPEN) for name in nofollow.folders(self.root / place)]
        held = [path.name.rpartition(".")[0] for path in self._taken()]
        return [name for name in (*lying, *held) if name.startswith(f"{stem}-")]

    def _taken(self) -> list[Path]:
        place = self.root / TAKEN
        return [place / name for name in nofollow.folders(place) if _TAKEN_NAME.fullmatch(name)]

    def _discard(self, folder: Path) -> None:
        """Remove a folder: out of sight in one step, then file by file."""
        aside = self.root / DRAFT / f"{folder.name}.{secrets.token_hex(4)}"
        nofollow.move(folder, aside)
        nofollow.remove_folder(aside)


def _digest(task: Task) -> str:
    """Return a digest of the order and the files."""
    facts = json.dumps([task.order(), digests_below(task.given)], sort_keys=True)
    return hashlib.sha256(facts.encode()).hexdigest()[:24]
