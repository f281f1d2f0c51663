"""Errors and times of methods on public tables, as measured by the benchmark.

`python -m synth.bench.measured` writes `measured.json`. No result is about a private table. The most similar
benchmark table is found from declarations: the number of columns, how many of them are ordered, epsilon, and
the rough number of rows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from synth.core.documents import read_as
from synth.core.schema import Schema

FILE = Path(__file__).with_name("measured.json")

MOST_COLUMNS = 2.0
"""Largest ratio between the numbers of columns of two similar tables."""
MOST_ORDERED = 0.4
"""Largest difference between the shares of ordered columns of two similar tables."""
MOST_EPSILON = 4.0
"""Largest ratio between the epsilons of two similar tables."""
MOST_ROWS = 12.0
"""Largest ratio between the numbers of rows of two similar tables, if known."""

_INVENTED = 0.3


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Public facts about a table: the number of columns, how many of them are ordered, and the rough number
    of rows (None if unknown).
    """

    columns: int
    ordered: int
    rows: int | None = None

    @property
    def share_ordered(self) -> float:
        return self.ordered / max(self.columns, 1)


@dataclass(frozen=True, kw_only=True)
class Source:
    """The origin of one folder of benchmark results: time, command, machine, version and commit.

    A folder may be filled in several sessions. Then `started` is the start of the first session, `until` is
    the start of the last, `command` is the last command, and `machine`, `version` and `commit` list all that
    occurred.
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
        """Return the start of the last session."""
        return self.until or self.started


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Means of one method over `runs`. Errors are mean total variation distances over all single columns, all
    pairs and 300 triples. `seconds` is the time on one core. The workload was all marginals of `workload`
    columns. A spread is the standard deviation of an error from run to run, or None if unknown.
    """

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
    """The findings of several methods on one public table at one epsilon. `is_invented` is True for a
    simulated table.
    """

    title: str
    is_invented: bool
    shape: Shape
    epsilon: float
    delta: float
    findings: tuple[Finding, ...]

    def of(self, method: str, *, workload: int) -> Finding | None:
        """Return the finding of a method with this workload, or otherwise with the nearest workload."""
        found = [f for f in self.findings if f.method == method]
        return min(found, key=lambda f: abs(f.workload - workload), default=None)

    def by_method(self, *, workload: int) -> dict[str, Finding]:
        """Return one finding for each measured method."""
        names = dict.fromkeys(f.method for f in self.findings)
        return {name: f for name in names if (f := self.of(name, workload=workload)) is not None}

    def ranking(self, first: str, *, workload: int) -> dict[str, Finding]:
        """Return the finding of every method in the newest source that measured `first` and others, or
        nothing if there is no such source.

        Figures of different commands and versions are not comparable.
        """
        sources = dict.fromkeys(f.source for f in self.findings if f.method == first)
        for source in sorted(sources, key=lambda source: source.newest, reverse=True):
            alone = replace(self, findings=tuple(f for f in self.findings if f.source == source))
            if len(found := alone.by_method(workload=workload)) > 1:
                return found
        return {}


def shape_of(schema: Schema, rows_about: int | None) -> Shape:
    """Return the shape of a declared table."""
    columns = schema.modelled
    ordered = sum(column.kind.is_ordered for column in columns)
    return Shape(columns=len(columns), ordered=ordered, rows=rows_about)


@lru_cache(maxsize=1)
def comparisons() -> tuple[Comparison, ...]:
    """Return all comparisons of the file."""
    return read(json.loads(FILE.read_text(encoding="utf-8")))


def read(document: Mapping[str, Any]) -> tuple[Comparison, ...]:
    """Read the comparisons from a document of `synth.bench.measured`. Comparisons with only one measured
    method are ignored.
    """
    sources, entries = document["sources"], document["comparisons"]
    findings = ([{**f, "source": sources[f["source"]]} for f in entry["findings"]] for entry in entries)
    known = [read_as(Comparison, {**e, "findings": f}) for e, f in zip(entries, findings, strict=True)]
    return tuple(one for one in known if len(one.by_method(workload=2)) > 1)


def nearest(shape: Shape, epsilon: float, among: tuple[Comparison, ...]) -> Comparison | None:
    """Return the comparison with the most similar table and epsilon, or None if none is similar."""
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
    """Return the distance as a sum of log ratios. Ordered columns count double, and rows count a quarter
    because their number is only a guess. At equal distance, a real table is preferred.
    """
    there = comparison.shape
    distance = _apart(there.columns, shape.columns) + 2 * abs(there.share_ordered - shape.share_ordered)
    distance += _apart(comparison.epsilon, epsilon) + _INVENTED * comparison.is_invented
    if shape.rows is not None and there.rows is not None:
        distance += _apart(there.rows, shape.rows) / 4
    return distance


def _apart(a: float, b: float) -> float:
    return abs(math.log(max(a, 1e-9) / max(b, 1e-9)))
