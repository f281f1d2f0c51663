"""Test files of other programs, which are read in a separate process."""

import datetime as dt
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from synth.core.errors import Mistake
from synth.dictionaries import apart, read_draft


def test_no_row_of_a_statistics_file_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    path, seen, read_sav = tmp_path / "t.sav", list[dict[str, Any]](), pyreadstat.read_sav
    pyreadstat.write_sav(
        pd.DataFrame({"sex": [1.0, 2.0]}), str(path), variable_value_labels={"sex": {1: "m"}}
    )

    def watched(copy: str, **requested: Any) -> Any:
        seen.append(requested)
        return read_sav(copy, **requested)

    monkeypatch.setattr(pyreadstat, "read_sav", watched)
    assert apart.header("read_sav", str(path))[0]["labels"] == [(1.0, "m")]
    assert seen == [{"metadataonly": True, "user_missing": True}]


def test_a_crashed_or_endless_reader_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "files"))
    (tmp_path / "files").mkdir()
    program = tmp_path / "reader.py"
    monkeypatch.setattr(apart, "__file__", str(program))
    program.write_text(
        "import os, sys; print([len(open(sys.argv[2]).read()), os.stat(sys.argv[2]).st_mode & 511])"
    )
    assert apart.content_of(b"cells", way="any") == [5, 0o600]
    assert not list((tmp_path / "files").iterdir())
    for fate in ("import os; os.abort()", "import time; time.sleep(600)", "raise ValueError('cells')"):
        program.write_text(fate)
        monkeypatch.setattr(apart, "SECONDS", 1 if "sleep" in fate else 60)
        for name, needed in (("t.sav", "pyreadstat"), ("d.xlsx", "openpyxl")):
            pytest.importorskip(needed)
            with pytest.raises(Mistake, match="cannot be read as") as caught:
                read_draft(b"cells", name=name)
            assert "cells" not in str(caught.value)
            assert not list((tmp_path / "files").iterdir())


def test_no_copy_stays_where_the_program_is_killed(tmp_path: Path) -> None:
    """Kill the program, and not its reader, while the copy is being read."""
    files, reader, read = tmp_path / "files", tmp_path / "reader.py", tmp_path / "read"
    files.mkdir()
    reader.write_text(
        "import pathlib, sys, time\n"
        f"pathlib.Path({str(read)!r}).write_bytes(pathlib.Path(sys.argv[2]).read_bytes())\n"
        f"pathlib.Path({str(read)!r} + '.done').touch()\n"
        "time.sleep(60)\n"
    )
    program = (
        "from synth.dictionaries import apart\n"
        f"apart.__file__ = {str(reader)!r}\n"
        "apart.content_of(b'x' * 9999, way='any')\n"
    )
    killed = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {"TMPDIR": str(files)}, start_new_session=True
    )
    try:
        until = time.monotonic() + 60
        while not Path(f"{read}.done").exists() and time.monotonic() < until:
            time.sleep(0.05)
        assert read.read_bytes() == b"x" * 9999, "the reader had the copy"
        killed.kill()
        killed.wait()
        assert list(files.iterdir()) == []
    finally:
        with suppress(ProcessLookupError):
            os.killpg(killed.pid, signal.SIGKILL)


def test_a_sheet_of_too_many_lines_is_no_dictionary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in (["name", "min"], ["born", dt.datetime(1990, 1, 31)], ["age", 0]):
        book.active.append(line)
    book.save(tmp_path / "d.xlsx")
    assert apart.sheet(str(tmp_path / "d.xlsx")) == [["name", "min"], ["born", "1990-01-31"], ["age", 0]]
    monkeypatch.setattr(apart, "_MOST_LINES", 2)
    with pytest.raises(ValueError, match=r"^$"):
        apart.sheet(str(tmp_path / "d.xlsx"))
