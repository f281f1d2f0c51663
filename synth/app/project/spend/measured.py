"""What methods were seen to do on public tables: figures of the benchmark, kept beside the code as data.

`python -m synth.bench.measured` writes the file. None of it is about a private table; which measured table is
like a declared one follows from what is declared: columns, how many of them are ordered, the promise, and
about how many rows somebody said there are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from synth.core.schema import Schema

FILE = Path(__file__).with_name("measured.json")

MOST_COLUMNS = 2.0
"""A table with more than so many times the columns, or fewer than the inverse, is not alike."""
MOST_ORDERED = 0.4
"""By which the shares of ordered columns of two tables that are alike differ at the most."""
MOST_EPSILON = 4.0
"""A promise so many times as large is not alike."""
MOST_ROWS = 12.0
"""A table so many times as long is not alike, where it is known how long."""

_INVENTED = 0.3


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What is public of a table: columns, how many are ordered, about how many rows (None: nobody said)."""

    columns: int
    ordered: int
    rows: int | None = None

    @property
    def share_ordered(self) -> float:
        return self.ordered / max(self.columns, 1)


@dataclass(frozen=True, kw_only=True)
class Source:
    """One folder of the benchmark: when, by which command, on what, with which version and commit.

    A folder may be filled in several sessions, and no figure names its own. Then `started` is the start of
    the first and `until` that of the last, `command` is what was typed last, and whatever changed from one to
    the next (`machine`, `version`, `commit`) is listed.
    """

    started: str
    command: str
    machine: str
    cores: str
    version: str
    commit: str
    sessions: int = 1
    until: str = ""

    @property
    def newest(self) -> str:
        """The start of its last session."""
        return self.until or self.started


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one method did, as means over `runs`: errors are mean total variation distances over all single
    columns, all pairs and 300 triples; `seconds` are of one core. It was asked to keep all marginals of
    `workload` columns. A spread is the standard deviation of an error from run to run, None where it was not
    kept or there was one run."""

    method: str
    workload: int
    runs: int
    columns: float
    pairs: float
    triples: float
    seconds: float
    source: Source
    columns_spread: float | None = None
    pairs_spread: float | None = None
    triples_spread: float | None = None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Methods side by side on one public table at one promise; `is_invented` of a table drawn from a law."""

    title: str
    is_invented: bool
    shape: Shape
    epsilon: float
    delta: float
    findings: tuple[Finding, ...]

    def of(self, method: str, *, workload: int) -> Finding | None:
        """What a method did when it was asked for these marginals, or else for others."""
        found = [f for f in self.findings if f.method == method]
        return min(found, key=lambda f: abs(f.workload - workload), default=None)

    def by_method(self, *, workload: int) -> dict[str, Finding]:
        """One finding for every method that was measured."""
        names = dict.fromkeys(f.method for f in self.findings)
        return {name: f for name in names if (f := self.of(name, workload=workload)) is not None}

    def ranking(self, first: str, *, workload: int) -> dict[str, Finding]:
        """Of every method what the newest source found that measured `first` beside another; none where no
        source did. Figures of different commands and versions are not ranked with each other."""
        sources = dict.fromkeys(f.source for f in self.findings if f.method == first)
        for source in sorted(sources, key=lambda source: source.newest, reverse=True):
            alone = replace(self, findings=tuple(f for f in self.findings if f.source == source))
            if len(found := alone.by_method(workload=workload)) > 1:
                return found
        return {}


def shape_of(schema: Schema, rows_about: int | None) -> Shape:
    """The shape of a declared table."""
    columns = schema.modelled
    ordered = sum(column.kind.is_ordered for column in columns)
    return Shape(columns=len(columns), ordered=ordered, rows=rows_about)


@lru_cache(maxsize=1)
def comparisons() -> tuple[Comparison, ...]:
    """All that was measured, as the file has it."""
    return read(json.loads(FILE.read_text(encoding="utf-8")))


def read(document: Mapping[str, Any]) -> tuple[Comparison, ...]:
    """The comparisons of a document that `synth.bench.measured` wrote; one method alone is none."""
    sources = [Source(**source) for source in document["sources"]]
    found = []
    for entry in document["comparisons"]:
        findings = tuple(Finding(**{**f, "source": sources[f["source"]]}) for f in entry["findings"])
        comparison = Comparison(**{**entry, "shape": Shape(**entry["shape"]), "findings": findings})
        if len(comparison.by_method(workload=2)) > 1:
            found.append(comparison)
    return tuple(found)


def nearest(shape: Shape, epsilon: float, among: tuple[Comparison, ...]) -> Comparison | None:
    """The comparison on the table most like this one at the nearest promise; None where none is alike."""
    alike = [c for c in among if _is_alike(c, shape, epsilon)]
    return min(alike, key=lambda c: _distance(c, shape, epsilon), default=None)


def _is_alike(comparison: Comparison, shape: Shape, epsilon: float) -> bool:
    there = comparison.shape
    known = shape.rows is not None and there.rows is not None
    return (
        _apart(there.columns, shape.columns) <= math.log(MOST_COLUMNS)
        and abs(there.share_ordered - shape.share_ordered) <= MOST_ORDERED
        and _apart(comparison.epsilon, epsilon) <= math.log(MOST_EPSILON)
        and (not known or _apart(there.rows or 1, shape.rows or 1) <= math.log(MOST_ROWS))
    )


def _distance(comparison: Comparison, shape: Shape, epsilon: float) -> float:
    """Ratios in logarithms. Twice the columns weigh as much as a third more of them being ordered, and rows,
    whose number is only guessed, a quarter. Of two as near a real table goes before an invented one."""
    there = comparison.shape
    distance = _apart(there.columns, shape.columns) + 2 * abs(there.share_ordered - shape.share_ordered)
    distance += _apart(comparison.epsilon, epsilon) + _INVENTED * comparison.is_invented
    if shape.rows is not None and there.rows is not None:
        distance += _apart(there.rows, shape.rows) / 4
    return distance


def _apart(a: float, b: float) -> float:
    return abs(math.log(max(a, 1e-9) / max(b, 1e-9)))
