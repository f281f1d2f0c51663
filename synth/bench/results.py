"""Figures of a benchmark as long-format records, a printed table, and a description of the machine."""

from __future__ import annotations

import csv
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from importlib import metadata
from pathlib import Path
from statistics import fmean, stdev

PACKAGES = ("marginalia", "numpy", "scipy", "opendp", "duckdb", "pandas")


@dataclass(frozen=True, kw_only=True)
class Record:
    """One figure of one run: the tidy row. `method` is `bootstrap` or `product` for a reference."""

    table: str
    method: str
    epsilon: float | None
    delta: float | None
    run: int
    figure: str
    value: float


COLUMNS = (
    ("TVD2", "tvd2", ".4f"),
    ("TVD3", "tvd3", ".4f"),
    ("mech s", "seconds", ".2f"),
    ("peak MB", "peak_mb", ".0f"),
    ("cmd s", "command_seconds", ".1f"),
    ("cmd MB", "command_peak_mb", ".0f"),
    ("cmd TVD2", "command_tvd2", ".4f"),
    ("covered", "covered", ".3f"),
    ("measured", "covered_measured", ".3f"),
    ("inferred", "covered_inferred", ".3f"),
    ("loose m", "loose_measured", ".1f"),
    ("loose i", "loose_inferred", ".1f"),
)
SPREAD = {"tvd2", "tvd3", "command_tvd2"}
"""Figures printed with their standard deviation over runs."""


def table_of(records: Sequence[Record]) -> str:
    """One line per table, method and epsilon: means over runs, (sd) for the errors."""
    keys = list(dict.fromkeys((r.table, r.method, r.epsilon) for r in records))
    lines = [["table", "method", "epsilon", "runs", *(title for title, _, _ in COLUMNS)]]
    for key in keys:
        mine = [r for r in records if (r.table, r.method, r.epsilon) == key]
        runs = len({r.run for r in mine})
        shown = [_cell([r.value for r in mine if r.figure == f], form, f in SPREAD) for _, f, form in COLUMNS]
        epsilon = "-" if key[2] is None else f"{key[2]:g}"
        lines.append([key[0], key[1], epsilon, str(runs), *shown])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cell(values: Sequence[float], form: str, spread: bool) -> str:
    if not values:
        return "-"
    mean = format(fmean(values), form)
    return f"{mean} ({stdev(values):.4f})" if spread and len(values) > 1 else mean


def write_csv(records: Iterable[Record], path: Path) -> None:
    """Long format, one figure per line."""
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow([f.name for f in fields(Record)])
        writer.writerows(astuple(record) for record in records)


def machine() -> dict[str, str]:
    """What the figures were measured on: processor, cores, versions."""
    found = {
        "machine": f"{platform.machine()} {_processor()}",
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "threads": os.environ.get("OMP_NUM_THREADS", "not set"),
        "commit": _commit(),
    }
    return found | {package: metadata.version(package) for package in PACKAGES}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _commit() -> str:
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "not from a repository"
