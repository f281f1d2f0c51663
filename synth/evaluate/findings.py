"""Results of the private evaluation of one release: plain numbers, coarse on purpose. NOT PRIVATE.

Shares are rounded to a thousandth, so that a chart of a column does not reveal its exact counts, and the
number of real rows is not included. A `Findings` is stored in a folder that only its steward can open, and
cannot get into a release package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from synth.core.errors import Mistake

UNREADABLE = "This comparison cannot be read: its file is damaged or of another version. Make it again."


@dataclass(frozen=True, kw_only=True)
class ColumnFinding:
    """NOT PRIVATE. Shares of rows per fine code of one column, and the distance between the two tables."""

    name: str
    real: tuple[float, ...]
    synthetic: tuple[float, ...]
    tvd: float


@dataclass(frozen=True, kw_only=True)
class PairFinding:
    """NOT PRIVATE. The total variation distance of one pair of columns. For the worst pairs also the shares
    of rows per cell, in the order of the fine codes (those of `left` change last); empty for all others.
    """

    left: str
    right: str
    tvd: float
    real: tuple[float, ...] = ()
    synthetic: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FigureFinding:
    """NOT PRIVATE. One of `evaluate.criteria`: a share of rows, or None where it does not apply."""

    name: str
    title: str
    help: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class GroupFinding:
    """NOT PRIVATE. Figures under one title, with a note below them."""

    title: str
    note: str
    figures: tuple[FigureFinding, ...]


@dataclass(frozen=True, kw_only=True)
class PredictionFinding:
    """NOT PRIVATE. How well a column of real rows is predicted by a model trained on synthetic rows, on real
    rows, and by the most common (or mean) value.

    `measure` is "accuracy" for classes and "r2" for numbers; `apart`: the test rows are from a file that
    never entered the run.
    """

    target: str
    measure: str
    synthetic: float
    real: float
    guess: float
    apart: bool

    @property
    def kept(self) -> float | None:
        """The share of the real model's gain over guessing that the synthetic one reaches, None where the
        real one gains next to nothing."""
        gain = self.real - self.guess
        return (self.synthetic - self.guess) / gain if gain > 0.02 else None


@dataclass(frozen=True, kw_only=True)
class Findings:
    """NOT PRIVATE. One release against the private table.

    `columns` and `pairs` are sorted, worst first. `mean` has mean distances by number of columns (1, 2, 3),
    `subsample` the share of the real rows that an equally good random sample needs, and `groups` all figures.
    """

    run: str
    columns: tuple[ColumnFinding, ...]
    pairs: tuple[PairFinding, ...]
    mean: dict[int, float]
    subsample: dict[int, float]
    groups: tuple[GroupFinding, ...]
    scores: tuple[PredictionFinding, ...]

    def value_of(self, name: str) -> float | None:
        """The single figure of this name; None where it does not apply or was not computed."""
        return next((f.value for group in self.groups for f in group.figures if f.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """Plain types."""
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Findings:
        """Inverse of `to_json`. Raises: `Mistake` for anything else."""
        try:
            return Findings(
                run=str(document["run"]),
                columns=tuple(_column(c) for c in document["columns"]),
                pairs=tuple(_pair(p) for p in document["pairs"]),
                mean={int(k): float(v) for k, v in document["mean"].items()},
                subsample={int(k): float(v) for k, v in document["subsample"].items()},
                groups=tuple(_group(g) for g in document["groups"]),
                scores=tuple(PredictionFinding(**s) for s in document["scores"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Mistake(UNREADABLE) from None


def _column(fields: Mapping[str, Any]) -> ColumnFinding:
    return ColumnFinding(
        name=fields["name"],
        tvd=fields["tvd"],
        real=tuple(fields["real"]),
        synthetic=tuple(fields["synthetic"]),
    )


def _pair(fields: Mapping[str, Any]) -> PairFinding:
    shares = {head: tuple(fields.get(head, ())) for head in ("real", "synthetic")}
    return PairFinding(left=fields["left"], right=fields["right"], tvd=fields["tvd"], **shares)


def _group(fields: Mapping[str, Any]) -> GroupFinding:
    figures = tuple(FigureFinding(**f) for f in fields["figures"])
    return GroupFinding(title=fields["title"], note=fields["note"], figures=figures)
