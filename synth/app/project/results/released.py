"""What the results page shows, read from a finished bundle and from nothing else.

Everything in a bundle is public, so everything here is. The private table, its path and the job folder are
out of reach: the only argument is the bundle's folder.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pandas as pd

from synth.app.project.results.bundles import UNREADABLE, checksums_of, opened
from synth.app.project.results.paper_bounds import PaperBounds, paper_bounds
from synth.core.axis import Axis, Grouping
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.numbers import TIMES
from synth.core.schema import Kind, iso_day
from synth.core.table import CodeTable
from synth.dictionaries import load_schema
from synth.release import csv_text
from synth.release.checks.bounds import Support
from synth.release.checks.checks import Checks
from synth.release.checks.gls import Pool
from synth.release.checks.residuals import Residual, held_against, z_scores
from synth.release.checks.shares import FoundShare
from synth.rules import parse_rules

_SAMPLE_ROWS = 20
_WORST = 10
"""Measured tables shown cell by cell, those with the largest residuals."""


@dataclass(frozen=True, kw_only=True)
class ColumnView:
    """One column of the release. Shapes: `synthetic` and `noisy` have one count per label.

    Units: rows (`people` says that each person fills one). `whisker` is the half-width, in rows, inside
    which the noise of every noisy count of this column lies together with the stated confidence; `bound` the
    share of rows that would have to change at most, None where there is no bound.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    synthetic: tuple[float, ...]
    noisy: tuple[float, ...] | None
    whisker: float
    people: bool
    bound: float | None = None
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class ResidualView:
    """One measured table: (synthetic - measured) / sigma per cell."""

    name: str
    sigmas: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """All measured tables: those with the largest residuals cell by cell, the largest first, and of every
    other one its largest residual, in sigma. `cells` counts all cells, `beyond` those beyond three sigmas."""

    worst: tuple[ResidualView, ...] = ()
    rest: tuple[float, ...] = ()
    cells: int = 0
    beyond: int = 0


GROUPS = "groups"


@dataclass(frozen=True, kw_only=True)
class PairBound:
    """The bound of one pair of columns: a share of rows between 0 and 1, None where there is no bound.

    `clique` has the names of the columns, `left` and `right` their titles. `kind` is that of the checks, or
    `GROUPS` where there is a bound for groups of values only; `coarse` is that bound, where there is one, and
    `counted` says that it rests on counts in these groups, not on a choice or a score.
    `incomplete` says that one of the columns lost records, so that no bound is known; `step` is the step of
    the answer an inferred bound rests on.
    """

    clique: Clique
    left: str
    right: str
    kind: str
    share: float | None
    coarse: float | None = None
    counted: bool = False
    incomplete: bool = False
    step: int | None = None

    @property
    def merged(self) -> bool:
        """Whether there is a bound for groups of values only."""
        return self.kind == GROUPS

    @property
    def grouped(self) -> bool:
        """Whether the counts were bought in coarser values alone, and the bound follows from these.

        A measurement in the column's own values goes before one in coarser ones (`check.bounds`).
        """
        return self.kind == "measured" and self.coarse is not None

    @property
    def name(self) -> str:
        return f"{self.left}{TIMES}{self.right}"


@dataclass(frozen=True, kw_only=True)
class Held:
    """A rule, and how many synthetic rows break it. `stated` says that somebody wrote it down, in names of
    columns; the others follow from columns that are declared never blank, and have their titles."""

    sentence: str
    rows: int
    stated: bool


@dataclass(frozen=True, kw_only=True)
class RedFlag:
    """A red flag of the checks; `blocks` says that the release should not leave with it, `advice` what can be
    done about it."""

    sentence: str
    blocks: bool
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class ReleaseView:
    """A finished release as the page shows it.

    `held` has every rule with the number of synthetic rows that break it, `shares` every share that was asked
    for; `sample` are the first rows as the CSV has them.
    """

    columns: tuple[ColumnView, ...]
    pairs: tuple[PairBound, ...]
    residuals: Residuals
    flags: tuple[RedFlag, ...]
    rows: int
    held: tuple[Held, ...]
    shares: tuple[FoundShare, ...] = ()
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
    if axis.column.kind is Kind.DATE:
        return iso_day(axis.edges[code])
    return axis.span(code, code)


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
        checks = bundle.checks
        sample = csv_text.first(bundle.files[bundle.layout.csv], _SAMPLE_ROWS)
    except (Mistake, KeyError, OSError, ValueError):
        raise Mistake(UNREADABLE) from None
    table, titles = table_of(folder), titles_of(noisy)
    return ReleaseView(
        columns=tuple(_columns(noisy, table, checks)),
        pairs=_pairs(checks, titles),
        residuals=_residuals(noisy, table, checks.residuals, titles),
        flags=tuple(RedFlag(sentence=f.sentence, blocks=f.blocks, advice=f.advised) for f in checks.flags),
        rows=table.rows,
        held=_held(checks.violations, spec),
        shares=checks.shares,
        sample=sample,
        measured=len(noisy.measurements) + len(noisy.tilings),
        epsilon=statement["epsilon"],
        delta=statement["delta"],
        confidence=checks.confidence,
    )


def table_of(folder: Path) -> CodeTable:
    """The synthetic rows of a bundle in the codes of its answers. Raises: `Mistake` if it is damaged."""
    return _table_of(folder, checksums_of(folder))


@lru_cache(maxsize=8)
def _table_of(folder: Path, checksums: bytes) -> CodeTable:
    bundle = opened(folder)
    try:
        return CodeTable(bundle.evidence.domain, bundle.codes)
    except (Mistake, KeyError, OSError, ValueError):
        raise Mistake(UNREADABLE) from None


def titles_of(noisy: Evidence) -> dict[str, str]:
    """What every column is called, by its name."""
    return noisy.codebook.titles


def paper_of(folder: Path) -> PaperBounds:
    """The bounds of the MargNet paper, which a wide table takes seconds for. Raises: as `read`."""
    return _paper_of(folder, checksums_of(folder))


@lru_cache(maxsize=8)
def _paper_of(folder: Path, checksums: bytes) -> PaperBounds:
    bundle = opened(folder)
    titles = titles_of(bundle.evidence)
    return paper_bounds(
        bundle.evidence,
        table_of(folder),
        bundle.checks,
        name_of=lambda clique: TIMES.join(titles[name] for name in clique),
        chose=_chose(bundle.statement),
    )


def _chose(statement: Mapping[str, Any]) -> bool:
    """Whether a selection was asked for."""
    return any(q["question"] == "choose" for part in statement["spend"] for q in part["questions"])


def _held(violations: Mapping[str, int], spec: Mapping[str, Any]) -> tuple[Held, ...]:
    schema = load_schema(spec["schema"])
    rules = parse_rules(spec["rules"], schema).rules
    implied = {r.sentence: schema.column(r.columns[0]).heading for r in rules if not r.stated}
    return tuple(
        Held(
            sentence=f"{implied[sentence]} is not blank" if sentence in implied else sentence,
            rows=rows,
            stated=sentence not in implied,
        )
        for sentence, rows in violations.items()
    )


def _columns(noisy: Evidence, table: CodeTable, checks: Checks) -> Iterator[ColumnView]:
    """Every column, with all its noisy answers averaged by their precision."""
    pool = Pool(noisy.domain, noisy.measurements)
    groupings = {g.column: g for g in noisy.codebook.groupings}
    bounds = {bound.clique: bound.tvd for bound in checks.bounds}
    weight = weight_of(noisy, table)
    for axis in noisy.codebook.axes:
        clique = (axis.name,)
        labels = labels_of(axis, groupings.get(axis.name))
        average = pool.average(clique) if pool.supports(clique) else None
        yield ColumnView(
            name=axis.name,
            title=axis.column.heading,
            labels=labels,
            synthetic=tuple(float(v) * weight for v in table.project(clique)),
            noisy=None if average is None else tuple(float(v) for v in average.counts),
            whisker=0.0 if average is None else reach(average.variance, len(labels), checks.confidence),
            people=noisy.codebook.schema.unit.max_rows == 1,
            bound=bounds.get(clique),
            is_number=axis.column.kind in (Kind.INTEGER, Kind.DECIMAL) and not axis.column.holds_bands,
        )


def reach(variance: float, cells: int, confidence: float) -> float:
    """The half-width inside which noise of this variance lies in so many cells at once."""
    return float(NormalDist().inv_cdf(1 - (1 - confidence) / (2 * cells)) * math.sqrt(variance))


def _residuals(
    noisy: Evidence, table: CodeTable, summaries: Sequence[Residual], titles: Mapping[str, str]
) -> Residuals:
    """The summaries are those of the checks, in the order of `held_against`: without tilings where the
    records were not made of them."""
    measured = held_against(noisy, tilings=len(summaries) > len(noisy.measurements))
    order = sorted(range(len(summaries)), key=lambda place: -summaries[place].largest)
    worst = [measured[place] for place in order[:_WORST]]
    return Residuals(
        worst=tuple(
            ResidualView(
                name=TIMES.join(titles[name] for name in m.clique),
                sigmas=tuple(float(z) for z in z_scores(m, table, total=noisy.total).flat),
            )
            for m in worst
        ),
        rest=tuple(summaries[place].largest for place in order[_WORST:]),
        cells=sum(one.cells for one in summaries),
        beyond=sum(round(one.beyond * one.cells) for one in summaries),
    )


def weight_of(noisy: Evidence, table: CodeTable) -> float:
    """How many people one synthetic row stands for."""
    return noisy.total / table.rows if table.rows else 1.0


def _pairs(checks: Checks, titles: Mapping[str, str]) -> tuple[PairBound, ...]:
    incomplete = checks.incomplete
    return tuple(
        PairBound(
            clique=b.clique,
            left=titles[b.clique[0]],
            right=titles[b.clique[1]],
            kind=GROUPS if b.tvd is None and b.coarse_tvd is not None else str(b.kind),
            share=b.tvd,
            coarse=b.coarse_tvd,
            counted=b.coarse_kind is Support.MEASURED,
            incomplete=not incomplete.isdisjoint(b.clique),
            step=b.step,
        )
        for b in checks.bounds
        if len(b.clique) == 2
    )
