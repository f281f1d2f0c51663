"""Draw rows under conditions from a graphical model of the measurements, and impute missing values.

Conditions change the tables of the junction tree, so a rare condition takes the same time as a frequent one,
and no rows are rejected. A column that was measured in groups is conditioned on these groups, weighted by the
share of the requested codes in each group. The rows are synthetic, so do not compute intervals from them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synth.analyst.answers import Form, written
from synth.analyst.conditions import Condition
from synth.analyst.measured import Measured
from synth.core.axis import Axis, Grouping
from synth.core.columns.published import numbers_in, published
from synth.core.errors import Mistake
from synth.core.numbers import per_cent
from synth.core.schema import Kind
from synth.dictionaries import load_schema, stored
from synth.models.base import Setting
from synth.models.blend.refined import RefinedRecords
from synth.models.coarse import Coarsening
from synth.models.graphical import GraphicalModel, Spread
from synth.models.pgm import PGM
from synth.models.pgm.conditional import conditioned
from synth.models.pgm.records import draw_records
from synth.release.codes import codes_of
from synth.release.decode import decode
from synth.release.drawing import refined, replace_rows
from synth.rules import Rules, cells_of, parse_rules, settle

if TYPE_CHECKING:
    import pandas as pd

Vector = NDArray[np.float64]
REDRAWS = 50
"""Maximum number of times that a row in which a rule does not hold is drawn again."""

MOST_PAIRS, MOST_CELLS = 300, 1 << 20
"""Maximum number of pairs that are compared between the model and the synthetic rows, and of their cells."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Drawn:
    """Synthetic rows, with the model's probability of their conditions and a sentence about them."""

    table: pd.DataFrame
    probability: float
    sentence: str

    def __repr__(self) -> str:
        return self.sentence

    def frame(self) -> pd.DataFrame:
        """Return the rows."""
        return self.table


@dataclass(frozen=True, eq=False, kw_only=True)
class Conditional:
    """A graphical model that draws rows under conditions.

    If it is not the model of the release, `remark` states this and how far it is from the synthetic rows.
    """

    measured: Measured
    model: PGM
    coarsening: Coarsening
    remark: str

    @staticmethod
    def of(measured: Measured) -> Conditional:
        """Fit the model to the measurements, as the release did if its generator is a graphical model.

        Raises: `Mistake` if there are no tables.
        """
        evidence = measured.evidence
        if not evidence.measurements:
            raise Mistake("This release has no noisy tables, so no model of them can draw rows.")
        if measured.generator == GraphicalModel.name:
            options = measured.spec.get("generator_options", {})
            fitted, coarsening = GraphicalModel(**options).fit(evidence), Coarsening(evidence.domain, ())
            if isinstance(fitted, Spread):
                coarsening, fitted = fitted.coarsening, fitted.groups
            assert isinstance(fitted, PGM)
            return Conditional(measured=measured, model=fitted, coarsening=coarsening, remark="")
        found = RefinedRecords().fitted(evidence, Setting())
        made = Conditional(measured=measured, model=found.tree, coarsening=found.coarsening, remark="")
        apart = per_cent(made.distance(), 1)
        remark = (
            "The rows come from a graphical model of the same measurements, not from the generator of the "
            f"release ({measured.generator}). On average, its pairs differ from those of the released rows "
            f"by {apart}."
        )
        return replace(made, remark=remark)

    def distance(self) -> float:
        """Return the mean TVD between the model and the synthetic rows, over pairs of columns."""
        rows = self.measured.released
        every = combinations(rows.domain.names, 2)
        pairs = list(islice((pair for pair in every if rows.domain.size(pair) <= MOST_CELLS), MOST_PAIRS))
        if not pairs:
            return 0.0
        apart = []
        for pair, table in zip(pairs, self.model.project_many(pairs), strict=True):
            expected = self.coarsening.spread(table, pair) / self.model.total
            apart.append(np.abs(expected - rows.project(pair) / rows.rows).sum() / 2)
        return float(np.mean(apart))

    def draw(
        self, conditions: Sequence[Condition], weights: Mapping[str, Vector], rows: int, seed: int
    ) -> Drawn:
        """Draw rows that satisfy the conditions, with frequencies multiplied by the weights of their codes.

        Raises: `Mistake` if a condition divides a bin, or if the model has no such rows.
        """
        for c in conditions:
            if not c.is_exact:
                raise Mistake(f"The condition that {c.words} divides a bin. {self._cuts(c.column)}")
        requested = dict(weights)
        for c in conditions:
            requested[c.column] = requested.get(c.column, 1.0) * c.inner.astype(np.float64)
        rng = np.random.default_rng([seed, 5])
        probability, codes = self._codes(requested, rows, rng)
        words = " where " + " and ".join(c.words for c in conditions) if conditions else ""
        if codes is None:
            raise Mistake(f"The model has no such rows{words}. A rule or the measurements exclude them.")
        sentence = f"{rows:,} synthetic rows{words}."
        if conditions and not weights:
            expected = written(probability * self.model.total, Form.COUNT, 0)
            sentence += f" The model expects {expected} such records in the table."
        values = self._values(codes, rng)
        broken = np.flatnonzero(self._rules.broken(values))
        for _ in range(REDRAWS if broken.size else 0):
            _, codes = self._codes(requested, len(broken), rng)
            assert codes is not None, "the conditions are possible"
            drawn = self._values(codes, rng)
            good = ~self._rules.broken(drawn)
            replace_rows(values, broken[good], drawn, good)
            broken = broken[~good]
            if not broken.size:
                break
        if broken.size:
            raise Mistake(f"The model has no such rows{words} in which all rules hold.")
        table = published(values, self.measured.codebook.schema)
        return Drawn(table=table, probability=probability, sentence=f"{sentence} {self.remark}".strip())

    def impute(self, table: pd.DataFrame, seed: int) -> Drawn:
        """Fill the blanks of a table with values drawn given the other values of the row.

        Columns that are not in the release are unchanged, and so are multiple-choice columns and columns of
        groups. Values outside the domain are kept but not used. Blanks remain if the model excludes the
        combination of known values, because of a rule or because noisy counts were set to zero.
        """
        schema, rng = self.measured.codebook.schema, np.random.default_rng([seed, 6])
        single = {column.name for column in schema.read if not column.separator}
        plain = single & {column.name for column in schema.modelled}
        axes = self.measured.codebook.axes
        groupings = {g.column: g for g in self.measured.codebook.groupings}
        known = np.stack(
            [_known(table, a, groupings.get(a.name)) if a.name in plain else _unknown(table) for a in axes],
            axis=1,
        )
        kept = self._compared(table, known)
        values, failed = self._filled(known, kept, rng)
        filled, blanks = table.copy(), 0
        has_blank = np.zeros(len(table), dtype=np.bool_)
        for name in (axis.name for axis in axes if axis.name in plain):
            if name not in filled:
                filled[name] = None
            empty = filled[name].isna().to_numpy()
            has_blank |= empty
            empty = empty & ~failed
            column = filled[name].astype(object)
            column[empty] = values[name].astype(object).to_numpy()[empty]
            filled[name], blanks = column.infer_objects(), blanks + int(empty.sum())
        failed &= has_blank
        left = f" {int(failed.sum()):,} rows were not filled: the model has no such combination of values."
        apart = ", ".join(column.name for column in schema.read if column.name not in plain)
        sentences = [f"{blanks:,} blanks filled in {len(table):,} rows.{left if failed.any() else ''}"]
        sentences += (
            [f"Columns of groups and multiple-choice columns were not changed: {apart}."] if apart else []
        )
        return Drawn(table=filled, probability=1.0, sentence=" ".join([*sentences, self.remark]).strip())

    def _filled(
        self, known: NDArray[np.int64], kept: Mapping[str, Vector], rng: np.random.Generator
    ) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
        """Return rows with these known codes, and whether the model has no such row in which all rules hold.

        Codes are drawn again while a comparison with a `kept` number is violated. Shapes: `known: int64[rows,
        columns]`, -1 for unknown codes.
        """
        codes, failed = np.zeros(known.shape, dtype=np.int64), np.zeros(len(known), dtype=np.bool_)
        left = np.arange(len(known))
        patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
        for attempt in range(REDRAWS):
            for number in np.unique(pattern_of.ravel()[left]).tolist():
                rows = left[pattern_of.ravel()[left] == number]
                _, drawn = self._codes(self._requested(patterns[number]), len(rows), rng)
                failed[rows] = drawn is None
                codes[rows] = 0 if drawn is None else drawn
            here = {name: numbers[left] for name, numbers in kept.items()}
            made = self._values(codes[left], rng, kept=here)
            good = ~self._rules.broken(made)
            if attempt == 0:
                values = made
            else:
                replace_rows(values, left[good], made, good)
            left = left[~good & ~failed[left]]
            if not left.size:
                break
        failed[left] = True
        return values, failed

    def _requested(self, pattern: NDArray[np.int64]) -> dict[str, Vector]:
        """Return the weights of all codes for a pattern of known codes. An unknown code is not blank."""
        requested = {}
        axes, sizes = self.measured.codebook.axes, self.measured.domain.sizes
        for axis, code, size in zip(axes, pattern.tolist(), sizes, strict=True):
            wanted = np.arange(size) == code
            if code < 0:
                wanted = np.arange(size) != (size - 1 if axis.column.blank and size > 1 else -1)
            requested[axis.name] = wanted.astype(np.float64)
        return requested

    def _compared(self, table: pd.DataFrame, known: NDArray[np.int64]) -> dict[str, Vector]:
        """Return the known numbers and dates of compared columns, with nan for others."""
        axes = self.measured.codebook.axes
        names = self._rules.orders(axes).lattices
        return {
            axis.name: np.where(known[:, i] >= 0, numbers_in(table[axis.name], axis.column), np.nan)
            for i, axis in enumerate(axes)
            if axis.name in names and axis.edges and axis.name in table
        }

    def _codes(
        self, requested: Mapping[str, Vector], rows: int, rng: np.random.Generator
    ) -> tuple[float, NDArray[np.int64] | None]:
        """Return the probability of the weights, and rows of codes of the domain, or None if there are no
        rows.
        """
        domain, groupings, coarse = self.measured.domain, [], {}
        for name, weight in requested.items():
            grouping = self.coarsening.by_column.get(name)
            if grouping is not None:
                share = self.coarsening.spread(np.ones(grouping.size), (name,))
                weight = share * weight
                groupings.append(
                    Grouping(column=name, group_of=grouping.group_of, weights=tuple(weight.tolist()))
                )
                weight = self.coarsening.sum(weight, (name,))
            coarse[domain.axis(name)] = weight
        probability, beliefs = conditioned(self.model.tree, self.model.beliefs, coarse)
        if not probability > 0.0:
            return 0.0, None
        codes = draw_records(self.model.tree, beliefs, rows, rng=rng)
        changed = {g.column: g for g in groupings}
        kept = tuple(changed.get(g.column, g) for g in self.coarsening.groupings)
        return probability, Coarsening(self.coarsening.domain, kept).refine(codes, rng)

    def _values(
        self,
        codes: NDArray[np.int64],
        rng: np.random.Generator,
        *,
        kept: Mapping[str, Vector] | None = None,
    ) -> pd.DataFrame:
        """Return encoded rows as values. Compared columns have the numbers in `kept`, where there are any."""
        codebook = self.measured.codebook
        fine = refined(codes, codebook, rng)
        table, cells = decode(fine, codebook.axes, rng), cells_of(fine, codebook.axes)
        settle(self._rules.orders(codebook.axes), table, cells, rng, kept=kept)
        return table

    @cached_property
    def _rules(self) -> Rules:
        return parse_rules(self.measured.spec["rules"], load_schema(stored(self.measured.spec["schema"])))

    def _cuts(self, name: str) -> str:
        axis = next(a for a in self.measured.codebook.axes if a.name == name)
        if axis.labels:
            return "Its values were merged into groups."
        starts = [axis.span(code, code).split(" to ")[0] for code in range(min(axis.cells, 8))]
        return f"Its bins start at {', '.join(starts)}{', ...' if axis.cells > 8 else ''}."


def read_table(file: bytes, *, delimiter: str) -> pd.DataFrame:
    """Parse the bytes of a CSV file with a header as strings, with NA for blank cells.

    Raises: `Mistake` if this is not such a file.
    """
    import pandas as pd

    try:
        return pd.read_csv(
            io.BytesIO(file), sep=delimiter, dtype="string", keep_default_na=False, na_values=[""]
        )
    except (ValueError, pd.errors.ParserError):  # also for a wrong encoding and an empty file
        raise Mistake(
            f"This is not a CSV file in UTF-8 with a header and cells between {delimiter!r}. "
            "Save the table in this form."
        ) from None


def _unknown(table: pd.DataFrame) -> NDArray[np.int64]:
    return np.full(len(table), -1, dtype=np.int64)


def _known(table: pd.DataFrame, axis: Axis, grouping: Grouping | None) -> NDArray[np.int64]:
    """Return the codes of the known values of a column, and -1 for blanks."""
    if axis.name not in table:
        return _unknown(table)
    series = table[axis.name]
    if axis.edges:
        numbers = numbers_in(series, axis.column)
        is_known = (axis.edges[0] <= numbers) & (numbers <= axis.edges[-1])
        codes = np.searchsorted(axis.edges, np.where(is_known, numbers, axis.edges[0]), side="right") - 1
        is_known &= (codes < axis.cells) | (axis.column.kind is Kind.DECIMAL)
        codes = np.minimum(codes, axis.cells - 1)
    else:
        codes = codes_of(series, axis)
        is_known = (codes < axis.missing_code) & series.notna().to_numpy()
    codes = codes if grouping is None else grouping.coarsen(np.where(is_known, codes, 0))
    return np.where(is_known, codes, -1)
