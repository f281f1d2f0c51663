"""Test that codes are the same in memory and on disk, and that no file can be found by a path."""

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.private.encoding import held
from synth.private.encoding.held import Disk, HeldColumn, available_bytes

CANARY = b"\x5a\xa5" * 32


@settings(max_examples=60, deadline=None)
@given(
    blocks=st.lists(st.integers(0, 9), max_size=5),
    most=st.sampled_from([0, 8, 20, 10**9]),
    kept=st.booleans(),
    kind=st.sampled_from([np.uint8, np.uint16, np.uint32]),
)
def test_where_codes_lie_does_not_show(
    tmp_path_factory: pytest.TempPathFactory, blocks: list[int], most: int, kept: bool, kind: type
) -> None:
    rng, folder = np.random.default_rng(sum(blocks)), tmp_path_factory.getbasetemp()
    parts = [rng.integers(0, 250, n).astype(kind) for n in blocks]
    whole = np.concatenate([*parts, np.empty(0, kind)])
    rows = np.flatnonzero(rng.random(len(whole)) < 0.5) if kept else None
    column = HeldColumn(np.dtype(kind), Disk(folder=folder, most=most))
    for part in parts:
        column.add(part)
    found = column.whole(rows)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, whole if rows is None else whole[rows])


def test_codes_of_kept_rows_are_taken_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "ROWS_AT_A_TIME", 3)
    column = HeldColumn(np.dtype(np.uint16), Disk(folder=tmp_path, most=0))
    column.add(np.arange(100, dtype=np.uint16))
    np.testing.assert_array_equal(column.whole(np.arange(0, 100, 7)), np.arange(0, 100, 7))


def test_a_column_beyond_its_memory_is_in_a_file_without_a_name_for_its_owner_alone(tmp_path: Path) -> None:
    column = HeldColumn(np.dtype(np.uint8), Disk(folder=tmp_path, most=100))
    column.add(np.zeros(100, dtype=np.uint8))
    assert column._file is None
    column.add(np.zeros(1, dtype=np.uint8))
    assert column._file is not None and list(tmp_path.iterdir()) == []
    status = os.fstat(column._file.fileno())
    assert stat.S_IMODE(status.st_mode) == 0o600 and status.st_nlink == 0
    codes = column.whole()
    assert len(codes) == 101 and not codes.flags.writeable


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from synth.private.encoding.held import Disk, HeldColumn
column = HeldColumn(np.dtype(np.uint8), Disk(folder=Path(sys.argv[1]), most=0))
column.add(np.frombuffer(bytes.fromhex(sys.argv[2]) * 100_000, dtype=np.uint8))
column._file.flush()
print(len(list(Path(sys.argv[1]).iterdir())), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_no_codes_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), CANARY.hex()]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL and ended.stdout == "0\n"
    assert list(tmp_path.rglob("*")) == []


def test_available_memory_is_what_the_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:  900 kB\nMemAvailable:    512 kB\n")
    monkeypatch.setattr(held, "MEMORY", tmp_path / "meminfo")
    assert available_bytes() == 512 * 1024
    assert Disk.beside(tmp_path, columns=4).most == 64 * 1024
    monkeypatch.setattr(held, "MEMORY", tmp_path / "nothing")
    assert available_bytes() == 1 << 30


def test_nothing_of_it_is_shown(tmp_path: Path) -> None:
    column = HeldColumn(np.dtype(np.uint8), Disk(folder=tmp_path, most=0))
    column.add(np.full(9, 77, dtype=np.uint8))
    assert not re.search(r"\b77\b", repr(column))
