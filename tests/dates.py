"""What the modification times of files for the public reveal: the day, for every file, folder and entry."""

from __future__ import annotations

import zipfile
from pathlib import Path

DAY = 86_400 * 10**9
UNDATED = (1980, 1, 1, 0, 0, 0)


def more_than_the_day(place: Path) -> list[str]:
    """Return the file or folder, what is in it, and the entries of zips, where their times are not a day."""
    parts = (place, *place.rglob("*"))
    found = [str(part) for part in parts if part.stat().st_mtime_ns % DAY]
    for archive in (part for part in parts if part.suffix == ".zip"):
        with zipfile.ZipFile(archive) as packed:
            found += [f"{archive}: {e.filename}" for e in packed.infolist() if e.date_time != UNDATED]
    return found
