"""The results of the private evaluation of one release: plain numbers with limited precision. NOT PRIVATE.

Proportions are rounded to a thousandth, so that a chart of a column does not reveal its exact counts. The
number of real rows is not included. `Findings` are stored in a folder that only the steward can open. They
cannot become part of a release package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from synth.core.documents import read_as
from synth.core.errors import Mistake

UNREADABLE = (
    "This comparison cannot be read: its file is damaged or comes from another version. Run the comparison "
    "again."
)

EXCLUDED = (
    "{share} of the rows of the private table cannot be compared: a column is declared never blank, but "
    "their cell is empty or not as declared. `marginalia check` counts such cells."
)


@dataclass(frozen=True, kw_only=True)
class ColumnFinding:
    """NOT PRIVATE. The proportions of rows with each code of one column, and the distance between the two
    tables.
    """

    name: str
    real: tuple[float, ...]
    synthetic: tuple[float, ...]
    tvd: float


@dataclass(frozen=True, kw_only=True)
class PairFinding:
    """NOT PRIVATE. The total variation distance of one pair of columns.

    For the worst pairs, it also has the proportion of rows in each cell, in C order of the codes (the code of
    the column `left` changes slowest). These proportions are empty for all other pairs.
    """

    left: str
    right: str
    tvd: float
    real: tuple[float, ...] = ()
    synthetic: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FigureFinding:
    """NOT PRIVATE. One criterion of `evaluate.criteria`: a share of rows, or None if it does not apply."""

    name: str
    title: str
    help: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class GroupFinding:
    """NOT PRIVATE. A group of figures under one title, with a note below."""

    title: str
    note: str
    figures: tuple[FigureFinding, ...]


@dataclass(frozen=True, kw_only=True)
class PredictionFinding:
    """NOT PRIVATE. How well models predict one column of real rows.

    The scores are for a model trained on synthetic rows, for a model trained on real rows, and for always
    predicting the most common (or mean) value. `measure` is "accuracy" for classes and "r2" for numbers.
    `apart` is True if the test rows are from a file that was not used in the run.
    """

    target: str
    measure: str
    synthetic: float
    real: float
    guess: float
    apart: bool

    @property
    def kept(self) -> float | None:
        """Return the gain of the synthetic model over guessing, as a proportion of the gain of the real
        model.

        The result is None if the real model gains almost nothing.
        """
        gain = self.real - self.guess
        return (self.synthetic - self.guess) / gain if gain > 0.02 else None


@dataclass(frozen=True, kw_only=True)
class Findings:
    """NOT PRIVATE. The comparison of one release with the private table.

    `columns` and `pairs` are sorted from worst to best. `mean` has the mean distances by number of columns
    (1, 2, 3). `subsample` is the size of a random sample of the same quality, as a proportion of the real
    rows. `groups` has all figures. `excluded` is the share of the real rows that were not compared (see
    `evaluate.report.load_real`).
    """

    run: str
    columns: tuple[ColumnFinding, ...]
    pairs: tuple[PairFinding, ...]
    mean: dict[int, float]
    subsample: dict[int, float]
    groups: tuple[GroupFinding, ...]
    scores: tuple[PredictionFinding, ...]
    excluded: float = 0.0

    def value_of(self, name: str) -> float | None:
        """Return the figure with this name, or None if it does not apply or was not computed."""
        return next((f.value for group in self.groups for f in group.figures if f.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """Return the findings as plain types."""
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Findings:
        """Return the findings from a document made by `to_json`. Raises: `Mistake` for any other document."""
        try:
            return read_as(Findings, document)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Mistake(UNREADABLE) from None
