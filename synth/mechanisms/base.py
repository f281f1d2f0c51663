"""What every mechanism is: frozen hyper-parameters with one verb."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

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
) -> Any:
    """A hyper-parameter field: the app draws its form from this metadata."""
    metadata = {"label": label, "help": help, "low": low, "high": high, "unit": unit}
    return field(default=default, metadata=metadata)


class Mechanism(ABC):
    """Base of the mechanisms: a frozen dataclass of hyper-parameters and `run`.

    `run` sees a `Source` and nothing else of the table; it spends at most `source.rho_left`; everything it
    does after an answer is post-processing and may use `rng`, which never draws privacy noise.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    paper: ClassVar[str]

    @abstractmethod
    def run(self, source: Source, task: Task, *, rng: np.random.Generator) -> Fitted: ...


def options_of(mechanism: type[Mechanism]) -> Sequence[Field[Any]]:
    """The dataclass fields of a mechanism that carry form metadata."""
    return [f for f in fields(mechanism) if "label" in f.metadata]  # type: ignore[arg-type]
