"""Files with any number of rows from a published release: order them, predict their size and time, and list
them.

The files are stored on this server next to the release (`rows/RUN/files`), with their checks. They are made
from the published noisy measurements, so they are public too.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from synth.app.jobs import runner
from synth.app.jobs.kinds import rows as kind
from synth.app.jobs.store import Task
from synth.app.project.results import bundles
from synth.app.project.results.released import RedFlag
from synth.app.project.store import Project
from synth.core.errors import Mistake
from synth.release.rows import LEFT_FREE, checks_beside

FORMS = ("parquet", "csv")
MOST_ROWS = 10**9
CARRIED = 200 * 10**6
"""Maximum size of a download in bytes. The server keeps downloads in memory."""

UNCHECKED = "The checks of this file are missing or cannot be read. Remove the file, and write it again."

_FAR = 5
"""Largest ratio of the numbers of rows at which the time of the last file is used for a forecast."""
CELLS_A_SECOND = (300_000.0, 3_000_000.0)
"""Slow and fast speeds in cells per second, measured on two cores: for a wide CSV table on a busy machine,
and for Parquet on an idle one.
"""


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The predicted `seconds` for a file, from fastest to slowest, and the predicted size."""

    seconds: tuple[float, float]
    bytes: int


@dataclass(frozen=True, kw_only=True)
class File:
    """A finished file of rows."""

    path: Path
    bytes: int
    flags: tuple[RedFlag, ...] = ()

    @property
    def is_blocked(self) -> bool:
        """Return whether the checks of this file block the download."""
        return any(flag.blocks for flag in self.flags)

    @property
    def is_carried(self) -> bool:
        """Return whether the file is small enough to download."""
        return self.bytes <= CARRIED


def outlook(project: Project, run: str, folder: Path, *, rows: int, form: str) -> Outlook:
    """Predict the size and time of a file. The size follows from the package's own table. The time follows
    from the last file of this release, or otherwise from measurements on other machines and the time of a
    fit.
    """
    opened = bundles.opened(folder)
    own = folder / (opened.layout.parquet if form == "parquet" else opened.layout.csv)
    size = round(own.stat().st_size / max(opened.spec["rows"], 1) * rows)
    last = task_of(project, run).answer()
    if last is not None and last["rows"] * _FAR >= rows:
        usual = last["seconds"] * max(rows / last["rows"], 0.5)
        return Outlook(seconds=(0.7 * usual, 1.5 * usual), bytes=size)
    cells = rows * len(opened.evidence.codebook.axes)
    slow, fast = (cells / pace for pace in CELLS_A_SECOND)
    fit = opened.plan(generator=None).recipe().follower.seconds(opened.evidence.domain) or (0.0, 0.0)
    return Outlook(seconds=(fast + fit[0], slow + fit[1]), bytes=size)


def ask(project: Project, run: str, folder: Path, *, rows: int, form: str) -> None:
    """Order a file, which a separate process writes from the package in `folder`.

    Raises: `Mistake` if the file exists, if there is too little disk space, or while another file is being
    written.
    """
    place = _place(project, run) / f"synthetic-{rows}.{form}"
    if place.exists():
        raise Mistake(f"A file of {rows:,} rows as {form} already exists: {place.name}.")
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    needed, free = outlook(project, run, folder, rows=rows, form=form).bytes, _free(place.parent)
    if needed + LEFT_FREE > free:
        raise Mistake(
            f"{rows:,} rows need about {needed // 10**6:,} MB, but the disk of this server has "
            f"{free // 10**6:,} MB left, of which {LEFT_FREE // 10**6:,} MB must stay free for runs. "
            "Choose fewer rows, or remove files."
        )
    runner.begin(task_of(project, run), kind.order(bundle=folder, place=place, rows=rows))


def remove(file: File) -> None:
    """Remove a file and its checks."""
    file.path.unlink(missing_ok=True)
    checks_beside(file.path).unlink(missing_ok=True)


def files(project: Project, run: str) -> tuple[File, ...]:
    """Return the finished files, sorted by name."""
    found = (p for form in FORMS for p in _place(project, run).glob(f"*.{form}") if p.name[0] != ".")
    return tuple(File(path=p, bytes=p.stat().st_size, flags=_flags(p)) for p in sorted(found))


def task_of(project: Project, run: str) -> Task:
    return Task(project.folder / "rows" / run, "rows")


def _place(project: Project, run: str) -> Path:
    return project.folder / "rows" / run / "files"


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def _flags(path: Path) -> tuple[RedFlag, ...]:
    """Return the warnings of a file's checks, or a warning that the checks are missing."""
    try:
        flags = json.loads(checks_beside(path).read_text(encoding="utf-8"))["flags"]
        return tuple(RedFlag(sentence=flag["sentence"], blocks=flag["blocks"]) for flag in flags)
    except (OSError, ValueError, KeyError, TypeError):
        return (RedFlag(sentence=UNCHECKED, blocks=True),)
