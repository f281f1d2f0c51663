"""A trial that takes hours and may be stopped: where it is lies on the disk, and the next attempt goes on.

In the trial's folder, one for each of its repeats: the ledger, with every answer it was given; what the fits
between rounds ended with (`jobs.kept_fits`); what makes a second opening of the table the same as the first;
and how long the attempts so far took. An attempt that goes on is answered from the ledger, takes the fits as
they are, and so comes to where the last one was within a part of the time; the fit that was cut is made
again.

Times are those of all attempts added up, written down every `EVERY_SECONDS` at a word of a fit and at the
end, so that a kill loses little more than those seconds. What was lost with it and made again, and the way
back to where it was, count too: the sum is what was spent, not what one attempt would have taken. The peak of
memory is the largest of any attempt.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from synth.app.jobs.kept_fits import KeptFits
from synth.app.jobs.locks import hold
from synth.app.jobs.store import write
from synth.core.progress import UNKEPT, Fits, Progress
from synth.private.reading.vault import Vault

EVERY_SECONDS = 5.0
WAIT_SECONDS = 24 * 3600.0
"""How long an attempt waits for another process that is still at the same trial."""

MOST_BYTES = 16 << 30
"""Of kept fits: 800 rounds of the network of 50 columns, as many as there can be, take 11 GB."""

CLOCK = "spent.json"


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Of all attempts: seconds on the wall and of the processor, the largest memory, and their number."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    attempts: int = 0


class Attempt:
    """One attempt. `folder` has its ledger, `fits` what was fitted, `vault` what is known of the table: None
    for a trial that begins again, of which nothing is kept. `peak_mb` says how large this process has
    been."""

    def __init__(self, folder: Path, *, goes_on: bool, peak_mb: Callable[[], float]) -> None:
        self.folder, self._goes_on, self._peak_mb = folder, goes_on, peak_mb
        self.fits: Fits = KeptFits(folder / "fits", most_bytes=MOST_BYTES) if goes_on else UNKEPT
        self.vault = Vault(folder / "vault.json") if goes_on else None
        path = folder / CLOCK
        self._before = Spent(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else Spent()
        self.begin()

    def begin(self) -> None:
        """The clock runs from here."""
        self._start, self._start_cpu = time.perf_counter(), time.process_time()
        self._written = self._start

    def report(self, progress: Progress) -> None:
        """A word of the run: the moment to write down what it took so far."""
        if self._goes_on and time.perf_counter() - self._written >= EVERY_SECONDS:
            self.spent()
            self._written = time.perf_counter()

    def spent(self) -> Spent:
        """By all attempts up to now."""
        spent = Spent(
            seconds=self._before.seconds + time.perf_counter() - self._start,
            cpu_seconds=self._before.cpu_seconds + time.process_time() - self._start_cpu,
            peak_mb=max(self._before.peak_mb, self._peak_mb()),
            attempts=self._before.attempts + 1,
        )
        if self._goes_on:
            write(self.folder / CLOCK, json.dumps(asdict(spent)))
        return spent


@contextmanager
def attempted(folder: str, repeat: int, *, peak_mb: Callable[[], float]) -> Iterator[Attempt]:
    """An attempt in a trial's folder, alone there; without one, in a folder that is gone afterwards."""
    if not folder:
        with tempfile.TemporaryDirectory() as name:
            yield Attempt(Path(name), goes_on=False, peak_mb=peak_mb)
        return
    place = Path(folder) / str(repeat)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with hold(place / "lock", patience=WAIT_SECONDS) as is_ours:
        if not is_ours:
            raise TimeoutError(f"another process is at work in {place}")
        yield Attempt(place, goes_on=True, peak_mb=peak_mb)
