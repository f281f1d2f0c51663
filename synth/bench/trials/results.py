"""Store the figures of a benchmark as records in long format, in a file that grows with each trial."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from synth.bench.trials.trial import Key, Keyed, Trial
from synth.core.errors import Mistake

LAST = "trial_seconds"
"""Name of the last figure of every trial. A trial without it was interrupted and is measured again."""

FAILED = "failed"
"""Name of the figure of a failed trial. Its note has the reason."""


@dataclass(frozen=True, kw_only=True)
class Record(Keyed):
    """One figure of one run: a row of tidy data.

    `part` is the kind of program (see `bench.trial.Part`), `task` the workload, and `variant` the differences
    from the default settings. A reference has neither epsilon nor delta.
    """

    table: str
    method: str
    epsilon: float | None
    delta: float | None
    run: int
    figure: str
    value: float
    part: str = "mechanism"
    task: str = "all-2way"
    variant: str = ""
    note: str = ""


def records_for(trial: Trial, figures: Mapping[str, float | None], *, note: str = "") -> list[Record]:
    """Return the rows of a trial."""
    return [
        Record(
            table=trial.table,
            method=trial.method,
            epsilon=trial.epsilon,
            delta=trial.delta,
            run=trial.run,
            figure=figure,
            value=float(value),
            part=str(trial.part),
            task=trial.task,
            variant=trial.variant,
            note=note,
        )
        for figure, value in figures.items()
        if value is not None
    ]


HEADER = [field.name for field in fields(Record)]
NUMBERS = {"epsilon": float, "delta": float, "run": int, "value": float}


class Results:
    """The file of records. It contains finished trials, and new rows are appended."""

    def __init__(self, path: Path) -> None:
        """Open the file, if it exists, and drop rows of interrupted trials. Raises: `Mistake`."""
        self._path = path
        records = read_csv(path) if path.is_file() else []
        ended = {r.key for r in records if r.figure == LAST}
        self.records = [r for r in records if r.key in ended]
        write_csv(self.records, path)

    def finished(self) -> set[Key]:
        return {r.key for r in self.records}

    def failed(self) -> set[Key]:
        return {r.key for r in self.records if r.figure == FAILED}

    def add(self, records: Sequence[Record]) -> None:
        """Append all rows of one trial in one step."""
        self.records.extend(records)
        with self._path.open("a", newline="", encoding="utf-8") as out:
            out.write(_rows(records))

    def forget(self, keys: set[Key]) -> None:
        """Remove trials, so that they are measured again."""
        self.records = [r for r in self.records if r.key not in keys]
        write_csv(self.records, self._path)


def _rows(records: Iterable[Record]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(astuple(record) for record in records)
    return text.getvalue()


def write_csv(records: Iterable[Record], path: Path) -> None:
    """Write the records atomically in long format, one figure per line."""
    part = path.with_suffix(".part")
    part.write_text(",".join(HEADER) + "\n" + _rows(records), encoding="utf-8")
    part.replace(path)


def is_there(path: Path) -> bool:
    """Whether the file, or a compressed version of it, exists."""
    return path.is_file() or _compressed(path).is_file()


def _compressed(path: Path) -> Path:
    """Return the path of the compressed file next to a report. `gzip -n9` reduces the size to a tenth."""
    return path.with_name(path.name + ".gz")


def read_csv(path: Path) -> list[Record]:
    """Read records, ignoring incomplete lines. Raises: `Mistake` for another kind of file."""
    raw = path.read_bytes() if path.is_file() else gzip.decompress(_compressed(path).read_bytes())
    text = raw.decode("utf-8")
    reader = csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1]))
    if reader.fieldnames != HEADER:
        raise Mistake(f"{path.name} is not a file of benchmark records of this version. Choose another.")
    return [record for row in reader if (record := _record(row)) is not None]


def _record(row: dict[str, Any]) -> Record | None:
    try:
        numbers = {name: kind(row[name]) if row[name] else None for name, kind in NUMBERS.items()}
        return None if None in row.values() else Record(**{**row, **numbers})
    except (TypeError, ValueError):
        return None
