"""A folder that machines share. Every step of a parcel is one renaming, which one of them wins.

    FOLDER/
      open/ID          posted, in nobody's hands
      taken/ID.N       in the hands of the N-th who took it
      done/ID          ended; whoever posted it fetches it from here
      stop/ID          present once somebody asked to stop it
      draft/           what is being written
      workers/NAME     what a worker can do, and its count of signs of life

    in a parcel:       order.json, parcel.json, given/ as posted; status.json and events.jsonl, with beat.json
                       while it is taken; answer.json, fault.json and made/ at the end

Lease: who holds a parcel counts up in `beat.json`. Another who has seen the same count for the length of a
lease, by its own clock that never jumps, takes the parcel over by renaming ID.N to ID.N+1. No two clocks are
ever compared: not those of two machines, and not that of a machine with the times of files.

Fencing: the one who lost the lease has a path that is no more. Whatever it writes fails, and so does the
renaming that would end the parcel, so that one answer is fetched, whoever made it.

Links: no step here follows one, in any part of a path below the folder (`nofollow`). One in the place of a
parcel is no parcel; one in the place of a folder that is made here is refused.

Age: what has lain unchanged for days before the eyes of one worker, by its own clock, is taken away: answers
that nobody fetches, orders that nobody takes, drafts, and signs of those who are gone. What is in somebody's
hands is not, and an order that is taken in the same moment is either taken or gone.

A network disk may show a machine what was true some seconds ago (`actimeo` of NFS): a lease is longer than
that. A renaming that the disk did and reported as failed leaves a parcel that nobody beats for; it is taken
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
from collections.abc import Collection, Iterator
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
WORKER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
NAMELESS = "without a proper name"
_OURS = {
    OPEN: _NAME,
    DONE: _NAME,
    DRAFT: re.compile(rf"({_NAME.pattern})(\.[0-9]{{1,6}})?(\.[0-9a-f]{{8}})?"),
    STOP: re.compile(rf"{_NAME.pattern}|\.({_NAME.pattern})\.[0-9a-f]{{8}}"),
    WORKERS: re.compile(rf"{WORKER_NAME.pattern}|\.({WORKER_NAME.pattern})\.[0-9a-f]{{8}}"),
}
"""The names that this program gives in each place, those of files that are being written too. What has
another name is somebody else's: it is left alone, and its name is never told."""


class Fenced(Exception):
    """The parcel is in other hands, or gone."""


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """What a worker needs to know of a parcel before it takes it."""

    wants: str
    program: str


@dataclass(frozen=True)
class Parcel:
    """A parcel that lies open (turn 0), or in the hands of the `turn`-th who took it."""

    folder: Path
    name: str
    turn: int

    @property
    def kind(self) -> str:
        return self.name.partition("-")[0]


@dataclass
class Watch:
    """How long something has not changed, by this machine's own clock alone."""

    seen: dict[str, tuple[Any, float]] = field(default_factory=dict)

    def unchanged(self, name: str, count: Any) -> float:
        """Seconds since `count` was another one, or was first looked at."""
        now = time.monotonic()
        before, since = self.seen.get(name, (None, now))
        if name not in self.seen or before != count:
            since = now
        self.seen[name] = count, since
        return now - since

    def forget_all_but(self, names: Collection[str]) -> None:
        """Of what is there no more, nothing is kept."""
        self.seen = {name: seen for name, seen in self.seen.items() if name in names}


@dataclass(frozen=True)
class Parcels:
    """The shared folder, by its full path; its places are made by whoever comes first.

    Raises, in every step: `Mistake` where one of its places is a link.
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.root.resolve())

    def set_up(self) -> None:
        for name in (OPEN, TAKEN, DONE, STOP, DRAFT, WORKERS):
            make(self.root / name)

    # Whoever posts

    def name_for(self, task: Task) -> str:
        """What a task is called in the folder: as one there with the same order and files, or anew."""
        stem = f"{task.kind}-{_digest(task)}"
        for name in self._known(stem):
            if not self.is_stopped(name):
                return name
        return f"{stem}-{secrets.token_hex(4)}"

    def post(self, task: Task, *, wants: str, program: str, name: str | None = None) -> str:
        """Lay a task open and return its name; one that is there is joined. Whoever may be stopped at any
        line asks for the name before (`name_for`), to withdraw by it what was posted in that moment."""
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
        """Where a parcel lies now, None if it is gone. It may be elsewhere the next moment."""
        for _ in range(3):  # it may be renamed between two looks
            for place in (self.root / DONE / name, self.root / OPEN / name):
                if nofollow.kind_of(place) == stat.S_IFDIR:
                    return place
            for path in self._taken():
                if path.name.rpartition(".")[0] == name:
                    return path
        return None

    def holder(self, place: Path) -> tuple[str, str] | None:
        """The worker whose hands a parcel is or was in, and at which turn; None before its first sign.
        A name that no worker has is not told: it may hold anything."""
        sign = json_of(place / "beat.json") or {}
        if "worker" not in sign:
            return None
        name = str(sign["worker"])
        return name if WORKER_NAME.fullmatch(name) else NAMELESS, str(sign.get("turn"))

    def ask_to_stop(self, name: str) -> None:
        """Nobody waits for it any more: it goes at once, a draft too, or when its worker hears of it."""
        nofollow.put(self.root / STOP / name, b"", mode=FILE_MODE)
        for place in (DRAFT, OPEN, DONE):
            with suppress(OSError):
                self._discard(self.root / place / name)
        if self.whereabouts(name) is None:
            nofollow.remove(self.root / STOP / name)

    def is_stopped(self, name: str) -> bool:
        return nofollow.kind_of(self.root / STOP / name) != 0

    def fetch(self, name: str, task: Task) -> None:
        """Copy what an ended task made into its folder on this machine. Raises: `Mistake` for a link."""
        place = self.root / DONE / name
        for file in ("answer.json", "fault.json"):
            document = json_of(place / file)
            if document is not None:
                task.keep(file, json.dumps(document))
        shutil.rmtree(task.made, ignore_errors=True)
        copy_below(place / "made", task.made, shared=False)

    def forget(self, name: str) -> None:
        """The answer was fetched."""
        with suppress(OSError):
            self._discard(self.root / DONE / name)

    # Whoever works

    def open_ones(self) -> list[Parcel]:
        """What lies open, in the order of its names, which is nobody's."""
        place = self.root / OPEN
        return [Parcel(place / name, name, 0) for name in nofollow.folders(place) if _NAME.fullmatch(name)]

    def silent_ones(self, watch: Watch, *, lease: float) -> list[Parcel]:
        """Those whose holder gave no sign for the length of a lease."""
        found = []
        for path in self._taken():
            count = (json_of(path / "beat.json") or {}).get("count")
            if watch.unchanged(path.name, count) >= lease:
                name, _, turn = path.name.rpartition(".")
                found.append(Parcel(path, name, int(turn)))
        return found

    def ticket(self, parcel: Parcel) -> Ticket:
        """Who may take it."""
        facts = json_of(parcel.folder / "parcel.json") or {}
        return Ticket(wants=str(facts.get("wants", "")), program=str(facts.get("program", "")))

    def take(self, parcel: Parcel) -> Parcel | None:
        """Take an open one, or take a silent one over; None if another was faster."""
        turn = parcel.turn + 1
        mine = Parcel(self.root / TAKEN / f"{parcel.name}.{turn}", parcel.name, turn)
        try:
            nofollow.move(parcel.folder, mine.folder)
            nofollow.remove(mine.folder / "events.jsonl")  # of whoever was lost
        except (OSError, Mistake):
            return None
        return mine

    @contextmanager
    def beating(self, parcel: Parcel, *, worker: str, lease: float) -> Iterator[threading.Event]:
        """Count up while the block lasts; what it yields is set once the parcel is in other hands."""
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
        """The public facts so far. Raises: `Fenced`."""
        try:
            put_text(parcel.folder / "events.jsonl", events)
        except (OSError, Mistake):
            raise Fenced from None

    def give_back(self, parcel: Parcel) -> None:
        """Lay it open again: this worker goes."""
        with suppress(OSError, Mistake):
            for left in ("beat.json", "status.json", "events.jsonl"):
                nofollow.remove(parcel.folder / left)
            nofollow.move(parcel.folder, self.root / OPEN / parcel.name)

    def end(self, parcel: Parcel, task: Task, status: dict[str, Any]) -> None:
        """Lay down what a task made, and end the parcel in one step. Raises: `Fenced`."""
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
        if self.is_stopped(parcel.name):  # asked in the meantime: nobody comes for it
            self.ask_to_stop(parcel.name)

    def drop(self, parcel: Parcel) -> None:
        """It was stopped, and nobody waits for it."""
        with suppress(OSError):
            self._discard(parcel.folder)
            nofollow.remove(self.root / STOP / parcel.name)

    def announce(self, worker: str, *, devices: tuple[str, ...], count: int) -> None:
        """What a worker can do, and a sign of life."""
        put_json(self.root / WORKERS / worker, {"devices": list(devices), "count": count})

    def say_goodbye(self, worker: str) -> None:
        nofollow.remove(self.root / WORKERS / worker)

    def has_a_worker_with(self, device: str, watch: Watch, *, lease: float) -> bool:
        """Whether somebody who announced this device has shown a sign of life within a lease."""
        place = self.root / WORKERS
        for name in (name for name in nofollow.files(place) if not name.startswith(".")):
            facts = json_of(place / name) or {}
            is_silent = watch.unchanged(f"worker {name}", facts.get("count")) >= lease
            if device in facts.get("devices", ()) and not is_silent:
                return True
        return False

    def clear_out(self, watch: Watch, *, age: float) -> list[str]:
        """Take away what has not changed for `age` seconds, and tell what it was. No parcel in somebody's
        hands, nor the asking that it be stopped; nothing whose name this program did not give."""
        held = {path.name.rpartition(".")[0] for path in self._taken()}
        lying = [self.root / place / name for place in (OPEN, DONE, DRAFT) for name in self._folders(place)]
        signs = [self.root / place / name for place in (STOP, WORKERS) for name in self._files(place)]
        signs = [sign for sign in signs if sign.parent.name != STOP or sign.name not in held]
        signs = [sign for sign in signs if sign.parent.name != WORKERS or _is_sign_of_life(sign)]
        gone = []
        for path in (*lying, *signs):
            if watch.unchanged(str(path), nofollow.change_of(path)) < age:
                continue
            with suppress(OSError, Mistake):
                if path.parent.name in (OPEN, DONE):
                    self._discard(path)
                elif path in signs:
                    nofollow.remove(path)
                else:
                    nofollow.remove_folder(path)
                gone.append(f"{path.parent.name}/{path.name}")
        watch.forget_all_but({str(path) for path in (*lying, *signs)})
        return gone

    def _folders(self, place: str) -> list[str]:
        return [name for name in nofollow.folders(self.root / place) if _OURS[place].fullmatch(name)]

    def _files(self, place: str) -> list[str]:
        return [name for name in nofollow.files(self.root / place) if _OURS[place].fullmatch(name)]

    def _known(self, stem: str) -> list[str]:
        lying = [name for place in (DONE, OPEN) for name in nofollow.folders(self.root / place)]
        held = [path.name.rpartition(".")[0] for path in self._taken()]
        return [name for name in (*lying, *held) if name.startswith(f"{stem}-")]

    def _taken(self) -> list[Path]:
        place = self.root / TAKEN
        return [place / name for name in nofollow.folders(place) if _TAKEN_NAME.fullmatch(name)]

    def _discard(self, folder: Path) -> None:
        """Away in one step, then file by file."""
        aside = self.root / DRAFT / f"{folder.name}.{secrets.token_hex(4)}"
        nofollow.move(folder, aside)
        nofollow.remove_folder(aside)


def _is_sign_of_life(path: Path) -> bool:
    """Whether a file has what `Parcels.announce` writes, or is one that it did not end: by its name alone
    it may be anybody's."""
    facts = json_of(path) if not path.name.startswith(".") else {"devices": [], "count": 0}
    return facts is not None and facts.keys() == {"devices", "count"}


def _digest(task: Task) -> str:
    """The same for the same order and the same files."""
    facts = json.dumps([task.order(), digests_below(task.given)], sort_keys=True)
    return hashlib.sha256(facts.encode()).hexdigest()[:24]
