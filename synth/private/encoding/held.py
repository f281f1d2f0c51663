"""Store the codes of a column: in memory while they fit, then in an unnamed file.

Privacy: codes are private. The file is created without a name (or its name is removed immediately, if the
file system has no other way), in a folder for its owner only, with mode 0600. So it cannot be opened by a
path, and the system frees its blocks when the process ends for any reason, including SIGKILL. As with any
deleted file, the blocks are not overwritten. A disk that could be stolen must be encrypted as a whole, which
the original table requires anyway.
"""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import CodeColumn

ROWS_AT_FIRST = 1 << 16
"""Initial capacity of a column, in codes."""

ROWS_AT_A_TIME = 1 << 20

MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True, kw_only=True)
class Disk:
    """The folder for codes that do not fit in memory, which are those after the first `most` bytes of a
    column.
    """

    folder: Path
    most: int

    @classmethod
    def beside(cls, folder: Path, *, columns: int) -> Disk:
        """Return a disk for the codes that do not fit in half of the available memory.

        The memory is shared by this number of columns.
        """
        return cls(folder=folder, most=available_bytes() // 2 // max(columns, 1))


class HeldColumn:
    """Codes that are added in blocks to one array, which grows in place without a second copy."""

    def __init__(self, dtype: np.dtype[np.unsignedinteger[Any]], disk: Disk | None = None) -> None:
        self._values, self._used, self._disk = np.empty(ROWS_AT_FIRST, dtype=dtype), 0, disk
        self._file: BinaryIO | None = None

    def add(self, values: CodeColumn) -> None:
        if self._file is None and self._overflows(len(values)):
            assert self._disk is not None
            self._file = _nameless(self._disk.folder)
            self._file.write(self._values[: self._used].data)
            self._values, self._used = np.empty(0, dtype=self._values.dtype), 0
        if self._file is not None:
            self._file.write(np.ascontiguousarray(values, dtype=self._values.dtype).data)
            return
        end = self._used + len(values)
        if end > len(self._values):
            self._values.resize(end + len(self._values) // 8, refcheck=False)
        self._values[self._used : end] = values
        self._used = end

    def whole(self, kept: NDArray[np.intp] | None = None) -> CodeColumn:
        """Return all codes, or the codes of the rows at these ascending positions. Shapes: unsigned[rows]."""
        if self._file is None:
            self._values.resize(self._used, refcheck=False)
            return self._values if kept is None else self._values[kept]
        with self._file:
            held = _mapped(self._file, self._values.dtype)
        if kept is None:
            return held
        assert self._disk is not None
        with _nameless(self._disk.folder) as file:
            for start in range(0, len(kept), ROWS_AT_A_TIME):
                file.write(held[kept[start : start + ROWS_AT_A_TIME]].data)
            return _mapped(file, held.dtype)

    def _overflows(self, more: int) -> bool:
        size = (self._used + more) * self._values.itemsize
        return self._disk is not None and size > self._disk.most

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


def available_bytes() -> int:
    """Return the available memory in bytes as estimated by the system, or one gigabyte if there is no
    estimate.
    """
    try:
        found = re.search(r"^MemAvailable:\s+([0-9]+) kB$", MEMORY.read_text(), re.MULTILINE)
    except OSError:
        found = None
    return int(found[1]) << 10 if found else 1 << 30


def _nameless(folder: Path) -> BinaryIO:
    return tempfile.TemporaryFile(dir=folder, buffering=1 << 20)  # type: ignore[return-value]


def _mapped(file: BinaryIO, dtype: np.dtype[Any]) -> CodeColumn:
    """Return the content of a file as a read-only memory map, which exists as long as it is referenced."""
    file.flush()
    if not os.fstat(file.fileno()).st_size:
        return np.empty(0, dtype=dtype)
    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=dtype)
