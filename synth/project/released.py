"""What the results page shows, read from a finished bundle and from nothing else.

Everything in a bundle is public, so everything here is. The private table, its path and the job folder are
out of reach: the only argument is the bundle's folder.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pandas as pd

from synth.axis import Axis, Grouping
from synth.check.gls import Pool
from synth.check.residuals import z_scores
from synth.check.shares import FoundShare
from synth.errors import Mistake
from synth.evidence import Evidence
from synth.project.bundles import UNREADABLE, checksums_of, opened
from synth.project.paper_bounds import PaperBounds, paper_bounds
from synth.release import parquet
from synth.release.codes import table_codes
from synth.rules import parse_rules
from synth.schema import Kind
from synth.schema_io import load_schema
from synth.table import CodeTable

TIMES = " \N{MULTIPLICATION SIGN} "
_SAMPLE_ROWS = 20
_DAY_ZERO = dt.date(1970, 1, 1)


@dataclass(frozen=True, kw_only=True)
class ColumnView:
    """One column of the release. Shapes: `synthetic` and `noisy` have one count per label.

    Units: rows (`people` says that each person fills one). `whisker` is the half-width, in rows, inside
    which the noise of every noisy count of this column lies together with the stated confidence.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    synthetic: tuple[float, ...]
    noisy: tuple[float, ...] | None
    whisker: float
    people: bool


@dataclass(frozen=True, kw_only=True)
class ResidualView:
    """One measured table: (synthetic - measured) / sigma per cell."""

    name: str
    sigmas: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class PairBound:
    """The bound of one pair of columns: a share of rows between 0 and 1, None where there is no bound.

    `merged` says that there is one in the coarser values the pair was asked about in, and not in its own;
    `incomplete` that one of the columns lost records, so that no bound is known.
    """

    left: str
    right: str
    kind: str
    share: float | None
    merged: bool = False
    incomplete: bool = False

    @property
    def name(self) -> str:
        return f"{self.left}{TIMES}{self.right}"


@dataclass(frozen=True, kw_only=True)
class Held:
    """A rule, and how many synthetic rows break it. `stated` says that somebody wrote it down; the others
    follow from columns that are declared never blank."""

    sentence: str
    rows: int
    stated: bool


@dataclass(frozen=True, kw_only=True)
class RedFlag:
    """A red flag of the checks; `blocks` says that the release should not leave with it."""

    sentence: str
    blocks: bool


@dataclass(frozen=True, kw_only=True)
class ReleaseView:
    """A finished release as the page shows it.

    `held` has every rule with the number of synthetic rows that break it, `shares` every share that was asked
    for, `paper` the bounds of the MargNet paper; `sample` are the first rows.
    """

    columns: tuple[ColumnView, ...]
    pairs: tuple[PairBound, ...]
    residuals: tuple[ResidualView, ...]
    flags: tuple[RedFlag, ...]
    rows: int
    held: tuple[Held, ...]
    shares: tuple[FoundShare, ...] = ()
    paper: PaperBounds = field(default_factory=PaperBounds)
    sample: pd.DataFrame = field(compare=False)
    measured: int
    epsilon: float
    delta: float
    confidence: float

    @property
    def rules(self) -> int:
        """How many rules were written down."""
        return sum(rule.stated for rule in self.held)

    @property
    def never_blank(self) -> int:
        """How many columns may not be blank."""
        return len(self.held) - self.rules

    @property
    def broken(self) -> int:
        """How many rows break one, counted once per rule."""
        return sum(rule.rows for rule in self.held)

    @property
    def blocked(self) -> bool:
        return any(flag.blocks for flag in self.flags)


def marginal_label(axis: Axis, code: int) -> str:
    """What a fine code stands for, short enough for an axis of a chart."""
    if code == axis.missing_code:
        return "(blank)"
    if code == axis.other_code:
        return str(axis.other)
    if axis.labels:
        return axis.column.label_of(axis.labels[code])
    if named := axis.band(code):
        return named
    low, high = axis.edges[code], axis.edges[code + 1]
    if axis.column.kind is Kind.DATE:
        return (_DAY_ZERO + dt.timedelta(days=int(low))).isoformat()
    if axis.column.kind is Kind.INTEGER:
        return f"{low:.0f}" if high - low <= 1 else f"{low:.0f} to {high - 1:.0f}"
    if high == math.nextafter(low, math.inf):
        return _amount(low)
    return f"{_amount(low)} to {_amount(high)}"


def _amount(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value / 1000:,.4g} k"


def labels_of(axis: Axis, grouping: Grouping | None) -> tuple[str, ...]:
    """One label per code of the released domain; merged codes are named together."""
    fine = [marginal_label(axis, code) for code in range(axis.size)]
    if grouping is None:
        return tuple(fine)
    groups: list[list[str]] = [[] for _ in range(grouping.size)]
    for code, group in enumerate(grouping.group_of):
        groups[group].append(fine[code])
    return tuple(g[0] if len(g) == 1 else f"{g[0]} ... {g[-1]}" for g in groups)


def read(folder: Path) -> ReleaseView:
    """Read a bundle. Raises: `Mistake` if it is not one, or is damaged.

    The last few are remembered under their checksums: a bundle never changes, and it holds nothing private.
    """
    return _read(folder, checksums_of(folder))


@lru_cache(maxsize=8)
def _read(folder: Path, checksums: bytes) -> ReleaseView:
    bundle = opened(folder)
    try:
        noisy, statement, spec = bundle.evidence, bundle.statement, bundle.spec
        checks = bundle.json(bundle.layout.checks)
        frame = parquet.read(bundle.files[bundle.layout.parquet])
    except (Mistake, KeyError, OSError, ValueError):
        raise Mistake(UNREADABLE) from None
    axes, groupings = noisy.codebook.axes, noisy.codebook.groupings
    table = CodeTable(noisy.domain, table_codes(frame, axes, groupings))
    titles = {axis.name: axis.column.heading for axis in axes}
    return ReleaseView(
        columns=tuple(_columns(noisy, table, confidence=checks["confidence"])),
        pairs=_pairs(checks["bounds"], titles, bundle.checks.incomplete),
        residuals=_residuals(noisy, table, titles),
        flags=tuple(RedFlag(sentence=f["sentence"], blocks=f["blocks"]) for f in checks["flags"]),
        rows=table.rows,
        held=_held(checks["violations"], spec),
        shares=bundle.checks.shares,
        paper=paper_bounds(
            noisy,
            table,
            bundle.checks,
            name_of=lambda clique: TIMES.join(titles[name] for name in clique),
            chose=_chose(statement),
        ),
        sample=frame.head(_SAMPLE_ROWS),
        measured=len(noisy.measurements),
        epsilon=statement["epsilon"],
        delta=statement["delta"],
        confidence=checks["confidence"],
    )


def _chose(statement: Mapping[str, Any]) -> bool:
    """Whether a selection was asked for."""
    return any(q["question"] == "choose" for part in statement["spend"] for q in part["questions"])


def _held(violations: Mapping[str, int], spec: Mapping[str, Any]) -> tuple[Held, ...]:
    rules = parse_rules(spec["rules"], load_schema(spec["schema"])).rules
    stated = {rule.sentence for rule in rules if rule.stated}
    return tuple(Held(sentence=s, rows=rows, stated=s in stated) for s, rows in violations.items())


def _columns(noisy: Evidence, table: CodeTable, *, confidence: float) -> Iterator[ColumnView]:
    """Every column, with all its noisy answers averaged by their precision."""
    pool = Pool(noisy.domain, noisy.measurements)
    groupings = {g.column: g for g in noisy.codebook.groupings}
    weight = _weight(noisy, table)
    for axis in noisy.codebook.axes:
        clique = (axis.name,)
        labels = labels_of(axis, groupings.get(axis.name))
        average = pool.average(clique) if pool.supports(clique) else None
        tail = NormalDist().inv_cdf(1 - (1 - confidence) / (2 * len(labels)))
        yield ColumnView(
            name=axis.name,
            title=axis.column.heading,
            labels=labels,
            synthetic=tuple(float(v) * weight for v in table.project(clique)),
            noisy=None if average is None else tuple(float(v) for v in average.counts),
            whisker=0.0 if average is None else tail * average.variance**0.5,
            people=noisy.codebook.schema.unit.max_rows == 1,
        )


def _residuals(noisy: Evidence, table: CodeTable, titles: Mapping[str, str]) -> tuple[ResidualView, ...]:
    return tuple(
        ResidualView(
            name=TIMES.join(titles[name] for name in m.clique),
            sigmas=tuple(float(z) for z in z_scores(m, table.project(m.clique), total=noisy.total).ravel()),
        )
        for m in noisy.measurements
    )


def _weight(noisy: Evidence, table: CodeTable) -> float:
    """How many people one synthetic row stands for."""
    return noisy.total / table.rows if table.rows else 1.0


def _pairs(
    bounds: Sequence[Mapping[str, Any]], titles: Mapping[str, str], incomplete: frozenset[str]
) -> tuple[PairBound, ...]:
    return tuple(
        PairBound(
            left=titles[b["clique"][0]],
            right=titles[b["clique"][1]],
            kind=b["kind"],
            share=b["tvd"],
            merged=b["kind"] == "none" and "coarse_kind" in b,
            incomplete=not incomplete.isdisjoint(b["clique"]),
        )
        for b in bounds
        if len(b["clique"]) == 2
    )
