"""Figures of a benchmark as long-format records: a file that grows trial by trial and is read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from synth.bench.trial import Key, Keyed
from synth.errors import Mistake

LAST = "trial_seconds"
"""The figure that ends the rows of a trial: what has none was interrupted and is measured again."""

FAILED = "failed"
"""Stands instead of a trial's figures, with the reason in its note."""


@dataclass(frozen=True, kw_only=True)
class Record(Keyed):
    """One figure of one run: the tidy row.

    `part` says what was run (see `bench.trial.Part`), `task` the workload, `variant` what sets the run apart
    from the usual way. A reference has neither epsilon nor delta.
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


HEADER = [field.name for field in fields(Record)]


class Results:
    """The file of records: what is finished there, and more rows at its end."""

    def __init__(self, path: Path) -> None:
        """Takes up a file that is there; rows of interrupted trials are dropped. Errors: Mistake."""
        self._path = path
        self.records: list[Record] = []
        if path.is_file():
            found = read_csv(path)
            finished = {r.key for r in found if r.figure == LAST}
            self.records = [r for r in found if r.key in finished]
        write_csv(self.records, path)

    def finished(self) -> set[Key]:
        return {r.key for r in self.records}

    def failed(self) -> set[Key]:
        return {r.key for r in self.records if r.figure == FAILED}

    def add(self, records: Sequence[Record]) -> None:
        """The rows of one trial, at once."""
        self.records.extend(records)
        with self._path.open("a", newline="", encoding="utf-8") as out:
            out.write(_rows(records))

    def forget(self, keys: set[Key]) -> None:
        """Drop trials, so that they are measured again."""
        self.records = [r for r in self.records if r.key not in keys]
        write_csv(self.records, self._path)


def _rows(records: Iterable[Record]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(astuple(record) for record in records)
    return text.getvalue()


def write_csv(records: Iterable[Record], path: Path) -> None:
    """Long format, one figure per line, whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(",".join(HEADER) + "\n" + _rows(records), encoding="utf-8")
    part.replace(path)


def read_csv(path: Path) -> list[Record]:
    """What was written, less a last line that was cut off. Errors: Mistake for another kind of file."""
    with path.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        if reader.fieldnames != HEADER:
            raise Mistake(f"{path.name} is not a file of benchmark records of this version. Choose another.")
        return [record for row in reader if (record := _record(row)) is not None]


def _record(row: dict[str, str | None]) -> Record | None:
    told = {name: text for name, text in row.items() if text is not None}
    if len(told) < len(HEADER):
        return None
    try:
        return Record(
            table=told["table"],
            method=told["method"],
            epsilon=_number(told["epsilon"]),
            delta=_number(told["delta"]),
            run=int(told["run"]),
            figure=told["figure"],
            value=float(told["value"]),
            part=told["part"],
            task=told["task"],
            variant=told["variant"],
            note=told["note"],
        )
    except ValueError:
        return None


def _number(text: str) -> float | None:
    return float(text) if text else None
