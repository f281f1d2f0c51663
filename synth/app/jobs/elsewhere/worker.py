"""Take public tasks from a shared folder, one after another, and run each in its own process.

The worker opens only the files that come with a task, after copying them to a folder of its own. It opens no
ledger and no project. Others can write to the shared folder, so the worker refuses any kind of task that is
not public and does not follow links. An order has an effect only through the kind of its task.
"""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType

from synth.app.jobs.elsewhere.carrying import json_of, unpack
from synth.app.jobs.elsewhere.executor import CARD, NO_CARD, STAGE, attend, check_public
from synth.app.jobs.elsewhere.parcels import LEASE_SECONDS, Fenced, Parcel, Parcels, Watch
from synth.app.jobs.kind import TaskKind
from synth.app.jobs.kinds import KINDS
from synth.app.jobs.store import Event, State, Status, Task, now
from synth.core.errors import Code, MarginaliaError, Mistake, Refusal
from synth.core.system.device import AUTO, likely_device
from synth.core.system.version import __version__

POLL_SECONDS = 0.5


@dataclass(kw_only=True)
class _Work:
    """A parcel that this worker has taken.

    `task` is the task in a folder of this worker, and `word` is a remark on the device. `lost` is set when
    another worker has taken over the parcel. `shown` is the number of facts that were shown.
    """

    parcel: Parcel
    task: Task
    word: str
    lost: threading.Event
    shown: int = 0


class _Leaving(Exception):
    """The worker received a request to stop."""


@dataclass(kw_only=True)
class FolderWorker:
    """A worker on a shared folder.

    `name` is shown to users who wait for a task. `entry` is the module of the processes that do the work.
    After `lease` seconds without a new count, another worker takes over a parcel.
    """

    parcels: Parcels
    name: str
    lease: float = LEASE_SECONDS
    kinds: dict[str, TaskKind] = field(default_factory=lambda: KINDS)
    entry: str = "synth.app.jobs.worker"
    tell: Callable[[str], object] = lambda line: None
    devices: tuple[str, ...] = ()
    _watch: Watch = field(default_factory=Watch)

    def serve(self, *, idle: float = float("inf")) -> None:
        """Run tasks until a request to stop (SIGTERM, Ctrl-C), or until there has been no task for `idle`
        seconds.

        On a request to stop, an unfinished parcel is reopened.
        """
        self.devices = self.devices or tuple(dict.fromkeys((likely_device(AUTO), "cpu")))
        self.parcels.set_up()
        before = signal.signal(signal.SIGTERM, _leave)
        last = time.monotonic()
        try:
            while time.monotonic() - last < idle:
                parcel = None
                with suppress(OSError):  # the shared disk may be unavailable for a while
                    parcel = self._next()
                if parcel is None:
                    time.sleep(POLL_SECONDS)
                    continue
                self._do(*parcel)
                last = time.monotonic()
        except (_Leaving, KeyboardInterrupt):
            self.tell("stopping on request")
        finally:
            signal.signal(signal.SIGTERM, before)

    def _next(self) -> tuple[Parcel, str] | None:
        """Take a parcel. Return it with a remark on the device, or None if no parcel suits this worker."""
        for parcel in (*self.parcels.silent_ones(self._watch, lease=self.lease), *self.parcels.open_ones()):
            wants, program = self.parcels.ticket(parcel)
            if program != __version__:
                continue  # another version might make another table from the same seed
            word = self._word_on(parcel, wants)
            if word is not None and (taken := self.parcels.take(parcel)) is not None:
                return taken, word
        return None

    def _word_on(self, parcel: Parcel, wants: str) -> str | None:
        """Return a remark on the device of this machine, or None if the parcel should wait.

        A parcel that prefers a graphics card waits for the length of a lease for a worker that has one.
        """
        if wants != CARD or CARD in self.devices:
            return ""
        is_left = not parcel.turn and self._watch.unchanged(f"open {parcel.name}", 0) < self.lease
        return None if is_left else NO_CARD

    def _do(self, parcel: Parcel, word: str) -> None:
        """Run the task of a parcel until it ends or another worker takes over the parcel."""
        self.tell(f"took {parcel.name} (turn {parcel.turn})")
        scratch = Path(tempfile.mkdtemp(prefix="marginalia-"))
        try:
            with self.parcels.beating(parcel, worker=self.name, lease=self.lease) as lost:
                work = _Work(parcel=parcel, task=Task(scratch / "task", parcel.kind), word=word, lost=lost)
                end = self._attempt(work)
            self.tell(f"{parcel.name}: {end}")
        except Fenced:
            self.tell(f"{parcel.name}: another worker has taken it over, or it was removed")
        except (_Leaving, KeyboardInterrupt):
            self.parcels.give_back(parcel)
            raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _attempt(self, work: _Work) -> str:
        """Run the task and end its parcel. Return the name of the final state. Raises: `Fenced`."""
        task, parcel = work.task, work.parcel
        task.folder.mkdir(mode=0o700)
        try:
            check_public(parcel.kind, self.kinds.get(parcel.kind))
            self._bring(work)
            end = attend(task, entry=self.entry, tick=lambda last: self._tick(work))
        except Mistake as mistake:
            end = _failed(mistake)
        except OSError:  # an error of this machine's disk
            end = _failed(Refusal(Code.INTERNAL))
        if self.parcels.is_stopped(parcel.folder):
            self.parcels.drop(parcel)
            return "stopped"
        self._show(work)
        self.parcels.end(parcel, task, asdict(end))
        return end.state.value

    def _bring(self, work: _Work) -> None:
        """Copy the order and the files to a folder of this worker. Raises: `Fenced`, `Mistake`."""
        try:
            order = json_of(work.parcel.folder / "order.json") or {}
            unpack(work.parcel.folder / "given.zip", work.task.given)
        except OSError:
            raise Fenced from None
        if work.word == NO_CARD and order.get("device") == CARD:
            order["device"] = "cpu"
        work.task.write_order(order)

    def _tick(self, work: _Work) -> bool:
        if work.lost.is_set():
            raise Fenced
        self._show(work)
        return not self.parcels.is_stopped(work.parcel.folder)

    def _show(self, work: _Work) -> None:
        """Show new public facts. Raises: `Fenced`."""
        first = [Event(at="", stage=STAGE, done=0.0, fact=work.word)] if work.word else []
        lines = [json.dumps(event.facts(), sort_keys=True) + "\n" for event in (*first, *work.task.events())]
        if len(lines) > work.shown:
            self.parcels.show(work.parcel, "".join(lines))
            work.shown = len(lines)


def _failed(error: MarginaliaError) -> Status:
    return Status(
        state=State.FAILED, code=error.code, sentence=str(error), exit_code=error.exit_code, at=now()
    )


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise _Leaving
