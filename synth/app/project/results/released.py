"""Read what the Results page shows from a finished package, and from an accuracy check that was made later.

Everything here is public. The functions get only the folder of the package, so they cannot read the private
table, its path or the job folder. The measured accuracy is stored next to the package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from synth.app.jobs.kinds.judging import place_of
from synth.app.project.results.bundles import UNREADABLE, cached, checksums_of, noise_saved, opened
from synth.core.axis import Axis, Grouping
from synth.core.domain import Clique
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.numbers import TIMES
from synth.core.schema import Kind, iso_day
from synth.core.table import CodeTable
from synth.dictionaries import load_schema, stored
from synth.estimates.estimator import Estimator
from synth.estimates.likely_errors import Likely
from synth.release import csv_text
from synth.release.checks.bounds import Support
from synth.release.checks.checks import Checks
from synth.release.checks.residuals import Residual, held_against, z_scores
from synth.release.checks.shares import FoundShare
from synth.release.verdict.figures import Figure, Verdict
from synth.release.verdict.judgement import Judgement
from synth.rules import parse_rules

BLANK = "(blank)"
"""Label of missing values."""

_SAMPLE_ROWS = 20
_WORST = 10
"""Number of measured tables that are shown cell by cell. These are the tables with the largest residuals."""


@dataclass(frozen=True, kw_only=True)
class ColumnView:
    """One column of the release. Shapes: `synthetic` and `noisy` have one count per label.

    Units: rows (`people` states whether each person has one row). `noisy` has the estimates from all noisy
    measurements. `whisker` has a half-width in rows for each of them, or is empty. These intervals hold
    together for the column, with the stated confidence. `bound` is the
    largest share of rows that would have to change, or None if there is no bound.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    synthetic: tuple[float, ...]
    noisy: tuple[float, ...] | None
    whisker: tuple[float, ...]
    people: bool
    bound: float | None = None
    is_number: bool = False

    @property
    def values(self) -> int:
        """Return the number of values without the blank."""
        return len(self.labels) - (BLANK in self.labels)


@dataclass(frozen=True, kw_only=True)
class ResidualView:
    """One measured table: (synthetic - measured) / sigma per cell."""

    name: str
    sigmas: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """All measured tables. Those with the largest residuals have all residuals, in descending order. Every
    other table has only its largest residual. Units: sigmas. `cells` is the number of all cells, and `beyond`
    is the number of cells beyond three sigmas.
    """

    worst: tuple[ResidualView, ...] = ()
    tables: int = 0
    cells: int = 0
    beyond: int = 0


GROUPS = "groups"

SURE = 0.95
"""Probability at which a pair is said to have a higher error."""


@dataclass(frozen=True, kw_only=True)
class PairBound:
    """The bound of one pair of columns: a share of rows between 0 and 1, or None without a bound.

    `clique` contains the names of the columns, and `left` and `right` are their titles. `kind` is the kind
    from the checks, or `GROUPS` if there is only a bound for groups of values, which is `coarse`. `grouped`
    states that the pair was measured in groups only. `incomplete` states that one of the columns lost
    records, so that no bound is known. `error` is the measured error of the pair, if any, or its
    posterior. `unmeasured` states that only the errors of other pairs were measured.
    """

    clique: Clique
    left: str
    right: str
    kind: str
    share: float | None
    coarse: float | None = None
    grouped: bool = False
    incomplete: bool = False
    error: Figure | Likely | None = None
    unmeasured: bool = False

    @property
    def shown(self) -> float | None:
        """Return the measured error, or the bound if the error of no pair was measured."""
        if self.error is None:
            return None if self.unmeasured else self.share
        return self.error.limited

    def is_above(self, error: float) -> bool:
        """Return whether the error is higher than this: with `SURE` probability if it has a posterior."""
        if isinstance(self.error, Likely):
            return self.error.above(error) >= SURE
        return self.shown is None or self.shown > error

    @property
    def merged(self) -> bool:
        """Return whether there is only a bound for groups of values."""
        return self.kind == GROUPS

    @property
    def name(self) -> str:
        return f"{self.left}{TIMES}{self.right}"


@dataclass(frozen=True, kw_only=True)
class Held:
    """A rule, and the number of synthetic rows that break it. A `stated` rule was written by a person. The
    others follow from columns that are declared never blank.
    """

    sentence: str
    rows: int
    stated: bool


@dataclass(frozen=True, kw_only=True)
class RedFlag:
    """A warning from the checks. `blocks` states that it blocks the release. `advice` states what to do about
    it.
    """

    sentence: str
    blocks: bool
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class ReleaseView:
    """A finished release as the page shows it. `shares` contains the target proportions, and `sample` the
    first rows as in the CSV. `noise_saved` is the share by which twice the epsilon lowers the standard
    deviation of the noise. `verdict` is the measured accuracy, or None if it was not measured. `judgement`
    is the document of a measurement in a separate run. `forecast` is the accuracy expected before the run.
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
    noise_saved: float
    confidence: float
    verdict: Verdict | None = None
    judgement: Mapping[str, Any] | None = None
    forecast: Mapping[str, float] = field(default_factory=dict)

    @property
    def titles(self) -> dict[str, str]:
        """Return the titles of columns by name."""
        return {view.name: view.title for view in self.columns}

    @property
    def is_judged(self) -> bool:
        """Return whether the error was measured for exactly this table."""
        return self.verdict is not None and self.verdict.is_of_this_table

    @property
    def measures_pairs(self) -> bool:
        """Return whether the errors of single pairs were measured."""
        return any(pair.error is not None for pair in self.pairs)

    @property
    def rules(self) -> int:
        """Return the number of rules that a person wrote."""
        return sum(rule.stated for rule in self.held)

    @property
    def never_blank(self) -> int:
        """Return the number of columns that are never blank."""
        return sum(not rule.stated and not rule.sentence.startswith("if ") for rule in self.held)

    @property
    def broken(self) -> int:
        """Return the number of rows that break a rule, counted once per rule."""
        return sum(rule.rows for rule in self.held)

    @property
    def blocked(self) -> bool:
        return any(flag.blocks for flag in self.flags)


def marginal_label(axis: Axis, code: int) -> str:
    """Return the label of an original code, shortened for the axis of a chart."""
    if code == axis.missing_code:
        return BLANK
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
    """Return one label per code of the released domain."""
    fine = tuple(marginal_label(axis, code) for code in range(axis.size))
    return fine if grouping is None else merged_labels(fine, grouping.group_of)


def merged_labels(labels: Sequence[str], group_of: Sequence[int]) -> tuple[str, ...]:
    """Return one label per group of merged values."""
    groups: list[list[str]] = [[] for _ in range(max(group_of) + 1)]
    for label, group in zip(labels, group_of, strict=True):
        groups[group].append(label)
    return tuple(g[0] if len(g) == 1 else f"{g[0]} ... {g[-1]}" for g in groups)


def read(folder: Path) -> ReleaseView:
    """Read a package, and an accuracy check that was made later. Raises: `Mistake` if it is not a package or
    is damaged.
    """
    place = place_of(folder)
    return _read(folder, place.read_text(encoding="utf-8") if place.is_file() else "")


@cached(8)
def _read(folder: Path, measured: str) -> ReleaseView:
    bundle, later = opened(folder), _judgement(folder, measured)
    try:
        noisy, statement, spec = bundle.evidence, bundle.statement, bundle.spec
        checks = bundle.checks
        sample = csv_text.first(bundle.files[bundle.layout.csv], _SAMPLE_ROWS)
    except (Mistake, KeyError, OSError, ValueError):
        raise Mistake(UNREADABLE) from None
    table, titles = table_of(folder), noisy.codebook.titles
    verdict = checks.verdict if later is None else later.verdict
    return ReleaseView(
        columns=tuple(_columns(noisy, table, checks)),
        pairs=_pairs(checks, verdict, titles),
        residuals=_residuals(noisy, table, checks.residuals, titles),
        flags=tuple(RedFlag(sentence=f.sentence, blocks=f.blocks, advice=f.advised) for f in checks.flags),
        rows=table.rows,
        held=_held(checks.violations, spec),
        shares=checks.shares,
        sample=sample,
        measured=len(noisy.measurements) + len(noisy.tilings),
        epsilon=statement["epsilon"],
        delta=statement["delta"],
        noise_saved=noise_saved(statement),
        confidence=checks.confidence,
        verdict=verdict,
        judgement=None if later is None else later.document,
        forecast=spec.get("forecast", {}),
    )


def _judgement(folder: Path, measured: str) -> Judgement | None:
    """Return the accuracy that was measured later, or None if there is no measurement of this package."""
    try:
        found = Judgement.read(json.loads(measured))
    except (Mistake, ValueError):
        return None
    is_of_it = found.document["release"]["checksums_sha256"] == sha256(checksums_of(folder)).hexdigest()
    return found if is_of_it else None


@cached(8)
def table_of(folder: Path) -> CodeTable:
    """Return the encoded synthetic rows of a bundle. Raises: `Mistake` if it is damaged."""
    bundle = opened(folder)
    try:
        return CodeTable(bundle.evidence.domain, bundle.codes)
    except (Mistake, KeyError, OSError, ValueError):
        raise Mistake(UNREADABLE) from None


def _held(violations: Mapping[str, int], spec: Mapping[str, Any]) -> tuple[Held, ...]:
    schema = load_schema(stored(spec["schema"]))
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
    """Yield every column, with the estimates of its counts from all noisy measurements."""
    estimator = Estimator.of(noisy)
    groupings = {g.column: g for g in noisy.codebook.groupings}
    bounds = {bound.clique: bound.tvd for bound in checks.bounds}
    weight = noisy.total / table.rows if table.rows else 1.0  # people per synthetic row
    for axis in noisy.codebook.axes:
        clique = (axis.name,)
        labels = labels_of(axis, groupings.get(axis.name))
        cells = estimator.cells(clique)
        yield ColumnView(
            name=axis.name,
            title=axis.column.heading,
            labels=labels,
            synthetic=tuple(float(v) * weight for v in table.project(clique)),
            noisy=None if cells is None else tuple(cells.counts.tolist()),
            whisker=() if cells is None else tuple(cells.reach(checks.confidence).tolist()),
            people=noisy.codebook.schema.unit.max_rows == 1,
            bound=bounds.get(clique),
            is_number=axis.column.kind in (Kind.INTEGER, Kind.DECIMAL) and not axis.column.holds_bands,
        )


def _residuals(
    noisy: Evidence, table: CodeTable, summaries: Sequence[Residual], titles: Mapping[str, str]
) -> Residuals:
    """Return the summaries of the checks with their tables, in the order of `held_against`. Tilings are
    included only if the records were made from them.
    """
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
        tables=len(summaries),
        cells=sum(one.cells for one in summaries),
        beyond=sum(round(one.beyond * one.cells) for one in summaries),
    )


def _pairs(checks: Checks, verdict: Verdict | None, titles: Mapping[str, str]) -> tuple[PairBound, ...]:
    incomplete, errors = checks.incomplete, dict[Clique, Figure | Likely]()
    if verdict is not None and verdict.is_of_this_table:
        errors = {one.clique: one.stated for one in verdict.tables if len(one.clique) == 2}
    return tuple(
        PairBound(
            clique=b.clique,
            left=titles[b.clique[0]],
            right=titles[b.clique[1]],
            kind=GROUPS if b.tvd is None and b.coarse_tvd is not None else str(b.kind),
            share=b.tvd,
            coarse=b.coarse_tvd,
            grouped=b.coarse_kind is Support.MEASURED,
            incomplete=not incomplete.isdisjoint(b.clique),
            error=errors.get(b.clique),
            unmeasured=bool(errors) and b.clique not in errors,
        )
        for b in checks.bounds
        if len(b.clique) == 2
    )
