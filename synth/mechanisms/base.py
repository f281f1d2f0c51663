"""What every mechanism is: frozen hyper-parameters with one verb."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from synth.domain import Domain
from synth.measure.source import Choice, NoisyScores, Source
from synth.measurement import Measurement
from synth.model import Model
from synth.progress import Reporter, silent
from synth.select.workload import Workload
from synth.zeros import Zero


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a mechanism is asked to do, all public.

    `ordered`: for a column in order, how many of its first codes are (what follows stands for other values
    and missing ones).
    """

    workload: Workload
    zeros: tuple[Zero, ...] = ()
    ordered: Mapping[str, int] = field(default_factory=dict)
    report: Reporter = silent


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """What a mechanism returns: the model, and every noisy answer it rests on."""

    model: Model
    measurements: tuple[Measurement, ...]
    choices: tuple[Choice, ...] = ()
    scores: tuple[NoisyScores, ...] = ()


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
    whole, "measuring" is the share of measuring in what is left for relations.
    """
    metadata = {"label": label, "help": help, "low": low, "high": high, "unit": unit, "part": part}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What a run will take on one core, from public facts: seconds, and the model's size in MB."""

    fastest: float
    slowest: float
    model_mb: float


class Mechanism(ABC):
    """Base of the mechanisms: a frozen dataclass of hyper-parameters and `run`.

    `run` sees a `Source` and nothing else of the table; it spends at most `source.rho_left`; everything it
    does after an answer is post-processing and may use `rng`, which never draws privacy noise. `suits`,
    `avoid` and `device` are sentences for the card a steward chooses by; `generator` is the model it fits, by
    its name in the pipeline.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    paper: ClassVar[str]
    suits: ClassVar[str] = ""
    avoid: ClassVar[str] = ""
    device: ClassVar[str] = "CPU, one core"
    keeps_relations: ClassVar[bool] = True
    generator: ClassVar[str] = "pgm"

    def first_pass(self, columns: int) -> float | None:
        """The share of the price that goes to single columns, None if it is not known beforehand."""
        return None

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Time and memory for all marginals of k columns, None if nobody has measured it."""
        return None

    @abstractmethod
    def run(self, source: Source, task: Task, *, rng: np.random.Generator) -> Fitted: ...


def options_of(mechanism: type[Mechanism]) -> Sequence[Field[Any]]:
    """The dataclass fields of a mechanism that carry form metadata."""
    return [f for f in fields(mechanism) if "label" in f.metadata]  # type: ignore[arg-type]
