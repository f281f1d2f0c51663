"""Attempts at the same trial go on from each other, one at a time, and their times add up."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest

from synth.bench.trials import attempts
from synth.bench.trials.attempts import Attempt, Spent, attempted
from synth.core.progress import UNKEPT, Progress

WORD = Progress(stage="rounds", done=0.5, fact="a round")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds on the wall; the processor has half of them."""
    now = [0.0]
    monkeypatch.setattr(attempts.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(attempts.time, "process_time", lambda: now[0] / 2)
    return now


def written(folder: Path) -> Spent:
    return Spent(**json.loads((folder / attempts.CLOCK).read_text()))


def test_times_add_up_from_the_beginning_of_each_attempt_and_the_peak_is_the_largest(
    tmp_path: Path, clock: list[float]
) -> None:
    peaks = iter((300.0, 400.0, 200.0))
    for opening, work in ((5.0, 20.0), (7.0, 10.0), (1.0, 2.0)):
        attempt = Attempt(tmp_path, goes_on=True, peak_mb=lambda: next(peaks))
        clock[0] += opening
        attempt.begin()
        clock[0] += work
        spent = attempt.spent()
    assert spent == Spent(seconds=32.0, cpu_seconds=16.0, peak_mb=400.0, attempts=3)
    assert written(tmp_path) == spent


def test_a_kill_loses_no_more_than_the_time_since_the_last_word(tmp_path: Path, clock: list[float]) -> None:
    attempt = Attempt(tmp_path, goes_on=True, peak_mb=lambda: 1.0)
    for seconds, told in ((1.0, None), (5.0, 6.0), (3.0, 6.0), (3.0, 12.0)):
        clock[0] += seconds
        attempt.report(WORD)
        assert not told or written(tmp_path).seconds == told
        assert told or not (tmp_path / attempts.CLOCK).exists()
    assert written(tmp_path).attempts == 1
    clock[0] += 100.0  # and killed
    assert Attempt(tmp_path, goes_on=True, peak_mb=lambda: 1.0).spent().seconds == 12.0


def test_a_trial_without_a_folder_leaves_nothing_and_begins_anew() -> None:
    with attempted("", 0, peak_mb=lambda: 1.0) as attempt:
        place = attempt.folder
        assert place.is_dir() and attempt.fits is UNKEPT and attempt.vault is None
        attempt.report(WORD)
        assert attempt.spent().attempts == 1 and not list(place.iterdir())
    assert not place.exists()


def test_repeats_have_folders_of_their_own_for_the_owner_alone(tmp_path: Path) -> None:
    for repeat in (0, 1, 0):
        with attempted(str(tmp_path / "t"), repeat, peak_mb=lambda: 1.0) as attempt:
            assert stat.S_IMODE(attempt.folder.stat().st_mode) == 0o700
            assert attempt.vault is not None and attempt.fits is not UNKEPT
            spent = attempt.spent()
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["0", "1"] and spent.attempts == 2


def test_a_second_process_waits_for_the_first_and_reads_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def second() -> None:
        with attempted(str(tmp_path), 0, peak_mb=lambda: 1.0) as later:
            seen.append(later.spent().attempts)

    waiting = threading.Thread(target=second)
    with attempted(str(tmp_path), 0, peak_mb=lambda: 1.0) as attempt:
        waiting.start()
        waiting.join(timeout=0.2)
        assert not seen
        attempt.spent()
    waiting.join(timeout=60)
    assert seen == [2]
    monkeypatch.setattr(attempts, "WAIT_SECONDS", 0.0)
    with (
        attempted(str(tmp_path), 0, peak_mb=lambda: 1.0),
        pytest.raises(TimeoutError, match="another process"),
        attempted(str(tmp_path), 0, peak_mb=lambda: 1.0),
    ):
        raise AssertionError("nobody waited")
