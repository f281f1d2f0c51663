"""Read the contents of a release package: its facts, its accuracy check, and its synthetic rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.analyst.conditions import Condition
from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.columns.published import Modelled
from synth.core.documents import read_as
from synth.core.domain import Clique, Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.table import CodeTable
from synth.estimates.combined import kappa_of
from synth.estimates.estimator import Estimator
from synth.estimates.facts import Fact
from synth.estimates.least_squares import Solution, System, Term
from synth.estimates.likely_errors import Likely
from synth.release import parquet
from synth.release.codes import Columns, columns_on, table_codes
from synth.release.layout import Layout
from synth.release.reading.files import files_of
from synth.release.reading.tables import damaged, read_tables


@dataclass(frozen=True, eq=False)
class Judged:
    """The error (TVD) of a marginal of the synthetic rows, as the accuracy check measured it.

    `apart` is an additional possible error if a different table was checked. `likely` is the posterior of
    the error, which earlier versions did not store.
    """

    estimate: float
    sd: float
    apart: float
    likely: Likely | None = None

    @property
    def stated(self) -> float:
        """Return the error that all documents state."""
        return max(0.0, self.estimate) if self.likely is None else self.likely.estimate

    def upper(self, level: float) -> float:
        """Return a limit that the error does not exceed at this one-sided confidence."""
        reach = NormalDist().inv_cdf(level) * self.sd + self.apart
        return min(1.0, max(0.0, self.estimate) + reach)


@dataclass(frozen=True, eq=False, kw_only=True)
class Measured:
    """The parts of a release package that are used to compute answers.

    `rows` returns the synthetic rows, in the modelled columns. `further` has noisy tables of other releases
    in different groups, to which no model is fitted (`analyst.together`).
    """

    evidence: Evidence
    spec: Mapping[str, Any]
    generator: str
    checks: Mapping[str, Any]
    rows: Callable[[], Columns]
    further: tuple[Fact, ...] = ()

    @staticmethod
    def of(path: str | Path) -> Measured:
        """Read a release package from its folder or zip file. Raises: `Mistake` if there is no package."""
        return Measured.in_files(files_of(path))

    @staticmethod
    def in_files(files: Mapping[str, bytes]) -> Measured:
        """Read the files of a release package. Raises: `Mistake` if one is missing or damaged."""
        layout = _layout_of(files)
        (described,) = _documents(files, layout.measurements)
        return Measured.around(read_tables(described, _file(files, layout.marginals)), files)

    @staticmethod
    def around(evidence: Evidence, files: Mapping[str, bytes]) -> Measured:
        """Read the other parts of a release package with this evidence. Raises: as `in_files`."""
        layout = _layout_of(files)
        spec, statement, checks = _documents(files, layout.spec, layout.statement, layout.checks)
        rows = _file(files, layout.parquet)
        with damaged():
            generator = str(statement["method"]["generator"])

        def table() -> Columns:
            return Modelled(parquet.ByColumn(rows), evidence.codebook.schema)

        return Measured(evidence=evidence, spec=spec, generator=generator, checks=checks, rows=table)

    @property
    def codebook(self) -> Codebook:
        return self.evidence.codebook

    @property
    def domain(self) -> Domain:
        return self.evidence.domain

    @cached_property
    def estimator(self) -> Estimator:
        return Estimator.of(self.evidence, further=self.further)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self.estimator.facts

    @property
    def total(self) -> float | None:
        """Return the number of rows if it is public, otherwise None."""
        return self.estimator.total

    @property
    def size(self) -> float:
        """Return the estimated number of rows, at least one."""
        return self.estimator.size

    @cached_property
    def kappa(self) -> float:
        """Return the error of the synthetic rows relative to a random sample (`estimates.combined`)."""
        return kappa_of(self.checks, self.released, epsilon=float(self.spec.get("epsilon", 1.0)))

    @property
    def rows_of_unit(self) -> int:
        return self.codebook.schema.unit.max_rows

    @cached_property
    def judged(self) -> dict[Clique, Judged]:
        """Return the marginals of the synthetic rows whose error was measured."""
        with damaged():
            tables = (self.checks.get("verdict") or {}).get("tables", ())
            return {
                tuple(one["clique"]): Judged(
                    **one["error"], likely=read_as(Likely, one["likely"]) if one.get("likely") else None
                )
                for one in tables
            }

    @cached_property
    def bounded(self) -> dict[Clique, float]:
        """Return the bounds on the error (TVD) of marginals, from measurements of the private table."""
        with damaged():
            bounds = [(tuple(one["clique"]), one["tvd"]) for one in self.checks["bounds"]]
            return {clique: float(tvd) for clique, tvd in bounds if tvd is not None}

    @cached_property
    def released(self) -> CodeTable:
        """Return the synthetic rows in the codes of the domain."""
        with damaged():
            codes = table_codes(self.rows(), self.codebook.axes, self.codebook.groupings)
            return CodeTable(self.domain, codes)

    def columns_on(self, axes: Iterable[Axis]) -> dict[str, NDArray[np.int64]]:
        """Return columns of the synthetic rows in the codes of other axes. Shapes: int64[rows] for each
        column.
        """
        with damaged():
            return columns_on(self.rows(), tuple(axes))

    def system(self, columns: Iterable[str]) -> System:
        """Return the normal equations of some columns. Raises: `Mistake` if they have too many cells."""
        return self.estimator.system(columns)

    def solve(self, *terms: Term) -> Solution | None:
        """Return the least-squares answer to a sum of products, or None if it is not estimable."""
        return self.estimator.solve(*terms)


def _layout_of(files: Mapping[str, bytes]) -> Layout:
    return Layout(rehearsal=Layout(rehearsal=True).statement in files)


def _documents(files: Mapping[str, bytes], *paths: str) -> list[Any]:
    try:
        return [json.loads(_file(files, path).decode()) for path in paths]
    except ValueError:
        raise Mistake(f"One of these files of the release package is not JSON: {', '.join(paths)}.") from None


def _file(files: Mapping[str, bytes], path: str) -> bytes:
    if path not in files:
        raise Mistake(f"The release package has no {path}.")
    return files[path]


def product(conditions: Sequence[Condition], *, outer: bool = False) -> dict[str, NDArray[np.float64]]:
    """Return the term that selects the records that satisfy all conditions."""
    return {c.column: (c.outer if outer else c.inner).astype(np.float64) for c in conditions}
