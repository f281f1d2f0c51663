"""What every mechanism is: frozen hyper-parameters with one verb."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from synth.codebook import Codebook
from synth.domain import Domain
from synth.errors import Mistake
from synth.evidence import Evidence
from synth.measure.source import Source
from synth.model import Model
from synth.progress import Reporter, silent
from synth.select.workload import Workload
from synth.zeros import Zero

CELLS_PER_MB = 2**17
"""Eight bytes each."""

SECONDS_PER_CELL = 5e-6
"""Of a model as large as it may get, for the fit."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a mechanism is asked to do, all public. The codebook is that of the source's codes."""

    workload: Workload
    codebook: Codebook
    report: Reporter = silent

    @property
    def zeros(self) -> tuple[Zero, ...]:
        return self.codebook.zeros

    @property
    def ordered(self) -> Mapping[str, int]:
        return self.codebook.ordered


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """What a mechanism returns: all it was told, and a model of it."""

    evidence: Evidence
    model: Model


def option(
    default: Any,
    *,
    label: str,
    help: str,
    low: float | None = None,
    high: float | None = None,
    unit: str = "",
    part: str = "",
) -> Any:
    """A hyper-parameter field: the app draws its form from this metadata.

    `part` marks a share of the price (see `mechanisms.division`): "columns" and "choosing" are shares of the
    whole, "looking" is half of choosing, "measuring" is the share of measuring in what is left for relations.
    """
    metadata = {"label": label, "help": help, "low": low, "high": high, "unit": unit, "part": part}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What a run will take on one core, from public facts: seconds, and the model's size in MB."""

    fastest: float
    slowest: float
    model_mb: float


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """What is known of a run beforehand, all public: codes per column, about how many records, and the noise
    that the whole price would buy (sigma, in counts)."""

    sizes: tuple[int, ...]
    rows: float = 10_000.0
    sigma: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What a method would be chosen for, all public: how many columns there are, how many of them at once the
    table has to be good at (`k`), how long somebody waits, and the promise."""

    columns: int
    k: int
    seconds: float
    epsilon: float


class Mechanism(ABC):
    """Base of the mechanisms: a frozen dataclass of hyper-parameters and `run`.

    `run` sees a `Source` and nothing else of the table; it spends at most `source.left`; everything it
    does after an answer is post-processing and may use `rng`, which never draws privacy noise. `suits`,
    `avoid` (with `is_avoided`) and `device` are sentences for the card a steward chooses by; `generator` is
    the model it fits, by its name in `generate.registry`; `joins` says that one model can hold all it
    measures, in codes as given; `pace` is the time it was measured to take on Adult and on an invented town,
    in seconds per thousand candidates times columns; `chooses` says that it pays for choosing what to
    measure; `is_gaussian` that it asks `measure` and `score` only, never `choose`: then the exact curve of
    the Gaussian mechanism sets its price, and the room refuses it anything else.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    paper: ClassVar[str]
    suits: ClassVar[str] = ""
    avoid: ClassVar[str] = ""
    device: ClassVar[str] = "CPU, one core"
    keeps_relations: ClassVar[bool] = True
    chooses: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    pace: ClassVar[float | None] = None
    generator: ClassVar[str] = "pgm"
    is_gaussian: ClassVar[bool] = False

    def first_pass(self, prospect: Prospect) -> float | None:
        """The share of the price that goes to single columns, None if it is not known beforehand."""
        return None

    def is_avoided(self, occasion: Occasion) -> bool:
        """Whether what `avoid` says is so, or may be: then nobody is advised to take it."""
        return bool(self.avoid)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Time and memory for all marginals of up to k columns, None if nobody has measured it."""
        if self.pace is None:
            return None
        candidates = sum(math.comb(len(domain), i) for i in range(1, k + 1))
        seconds, whole = self.pace * candidates * len(domain) / 1000, math.prod(domain.sizes)
        cells = whole if self.most_cells is None else min(self.most_cells, whole)
        slowest = 4 * seconds + cells * SECONDS_PER_CELL
        return Outlook(fastest=seconds / 2, slowest=slowest, model_mb=cells / CELLS_PER_MB)

    @property
    def most_cells(self) -> int | None:
        """The largest model it allows itself, by its option that is measured in MB or cells; None without."""
        for option_field in options_of(type(self)):
            unit, value = option_field.metadata["unit"], getattr(self, option_field.name)
            if unit in ("MB", "cells"):
                return int(value * (CELLS_PER_MB if unit == "MB" else 1))
        return None

    @abstractmethod
    def run(self, source: Source, task: Task, *, rng: np.random.Generator) -> Fitted: ...


def options_of(mechanism: type[Mechanism]) -> Sequence[Field[Any]]:
    """The dataclass fields of a mechanism that carry form metadata."""
    return [f for f in fields(mechanism) if "label" in f.metadata]  # type: ignore[arg-type]


LEAST_LEFT = 0.05
"""Part of a price that shares of single columns and of choosing must leave for measuring."""


def check_options(mechanism: Mechanism) -> None:
    """Whether a run can keep to the options, so that it is known before anything is charged.

    Raises: `Mistake` for a value of another kind or beyond its limits, and for shares that leave too little.
    """
    taken, told = 0.0, list[str]()
    for known in options_of(type(mechanism)):
        value, label = getattr(mechanism, known.name), known.metadata["label"]
        default: Any = known.default
        low, high, part = (known.metadata[fact] for fact in ("low", "high", "part"))
        kinds = (int, float) if isinstance(default, float) else type(default)
        if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(default, bool):
            kind = {int: "a whole number", float: "a number", bool: "true or false"}
            raise Mistake(
                f"{label} ({known.name}) is {value!r}. It has to be {kind.get(type(default), 'text')}."
            )
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise Mistake(f"{label} ({known.name}) is {value!r}. It may be {low:,} to {high:,}.")
        if part in ("columns", "choosing", "looking"):
            taken += value * (2 if part == "looking" else 1)
            told.append(f"{label} ({known.name}) {value:g}")
    if taken > 1 - LEAST_LEFT + 1e-9:
        raise Mistake(
            f"{' and '.join(told)} leave too little of the price for measuring: they may take "
            f"{1 - LEAST_LEFT:.0%} of it together. Lower one of them."
        )
