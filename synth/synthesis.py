"""What a release gives: the synthetic table, its papers' facts, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synth.axis import Axis, Grouping
from synth.check.checks import Checks
from synth.domain import Clique, Domain
from synth.measure.source import Choice
from synth.measurement import Measurement
from synth.model import Model
from synth.rules import Rules
from synth.schema import Neighbours, Schema, Unit
from synth.zeros import Zero

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Spend:
    """One line of the receipt: a question and its price (units of 1e-12 rho)."""

    part: str
    question: str
    cliques: tuple[Clique, ...]
    units: int
    step: int


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """What is promised and what it cost. `is_gaussian`: every answer is, so the price is mu^2 / 2 and is read
    by the exact curve of the Gaussian mechanism."""

    epsilon: float
    delta: float
    delta_bought: float
    units: int
    spent_units: int
    neighbours: Neighbours
    unit: Unit
    population: str
    spends: tuple[Spend, ...]
    receipt: dict[str, Any]
    rehearsal: bool
    is_gaussian: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Synthesis:
    """The result of a release: the synthetic table, and every public fact about how it came to be.

    Nothing in here was computed from a row without passing the ledger, so all of it may leave. The model
    was fitted to `measurements` and never to `held_back`.
    """

    schema: Schema
    rules: Rules
    axes: tuple[Axis, ...]
    groupings: tuple[Grouping, ...]
    domain: Domain
    zeros: tuple[Zero, ...]
    method: str
    generator: str
    compress: bool
    parameters: dict[str, Any]
    privacy: Privacy
    measurements: tuple[Measurement, ...]
    held_back: tuple[Measurement, ...]
    preprocess_share: float
    held_back_share: float
    choices: tuple[Choice, ...]
    model: Model
    model_cells: int
    model_cliques: tuple[Clique, ...]
    converged: bool
    total: float
    codes: NDArray[np.int64]
    table: pd.DataFrame
    checks: Checks
