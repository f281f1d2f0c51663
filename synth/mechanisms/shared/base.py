"""Base classes of mechanisms: frozen dataclasses of options with one main method, `run`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from synth.core.accounting import GAUSSIAN, Law
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence, Start
from synth.core.graphs.workload import Workload
from synth.core.model import Model
from synth.core.numbers import per_cent
from synth.core.options import check_values, options_of
from synth.core.progress import UNKEPT, Fits, Progress, Reporter, silent
from synth.core.system.device import AUTO
from synth.core.zeros import Zero
from synth.mechanisms.selection.allocation import POWER
from synth.models.base import Generator
from synth.models.registry import GENERATORS
from synth.private.source import Source

CELLS_PER_MB = 2**17
"""Number of cells per MB, at eight bytes per cell."""

SECONDS_PER_CELL = 5e-6
"""Number of seconds per cell for fitting a model of the largest allowed size."""


class Purpose(StrEnum):
    """The purpose of a method. The user interface groups methods by purpose."""

    GENERAL = "general"
    """Methods that score the table first and then measure the important parts: a first choice for most
    tables.
    """
    WIDE = "wide"
    """Methods that measure every pair, for wide tables with many related columns."""
    MODEL = "model"
    """Classic methods that measure some relations and fit one graphical model."""
    FITTED = "fitted"
    """Methods that generate records by a network, by particles or by search. They are slow, but faster on a
    graphics card.
    """
    BASELINE = "baseline"
    """Baselines that every other method should outperform."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The task of a mechanism. All of it is public.

    The codebook describes the source's codes. `generator` fits the models of the mechanism; None selects the
    mechanism's own generator. `seed` and `device` are used by models that start at random or can use a
    graphics card. `fits` stores the results of fits between rounds. `follower` draws the released records if
    neither `generator` nor the mechanism's own generator does. `start` is a public table to start from.
    """

    workload: Workload
    codebook: Codebook
    generator: Generator | None = None
    follower: Generator | None = None
    start: Start | None = None
    seed: int = 0
    device: str = AUTO
    report: Reporter = silent
    fits: Fits = UNKEPT

    def tell(self, stage: str, done: float, fact: str) -> None:
        """Report a fact about the run."""
        self.report(Progress(stage=stage, done=done, fact=fact))

    @property
    def zeros(self) -> tuple[Zero, ...]:
        return self.codebook.zeros

    @property
    def ordered(self) -> Mapping[str, int]:
        return self.codebook.ordered


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """The result of a mechanism: all its measurements, and a model fitted to them."""

    evidence: Evidence
    model: Model


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The estimated time of a run on one core, in seconds, and the size of its model, in MB. Both are
    computed from public facts.
    """

    fastest: float
    slowest: float
    model_mb: float

    @classmethod
    def of(cls, seconds: tuple[float, float] | None, *, cells: float) -> Outlook | None:
        """Return an estimate with the fastest and the slowest time and a model of `cells` cells. Return None
        if the time was never measured.
        """
        return seconds and cls(fastest=seconds[0], slowest=seconds[1], model_mb=cells / CELLS_PER_MB)


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """Public facts before a run: codes per column, the approximate number of records, and the noise of a
    query with the whole budget (sigma, in counts).
    """

    sizes: tuple[int, ...]
    rows: float = 10_000.0
    sigma: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """Public facts on which the recommendation of a method is based: the number of columns, the number of
    columns `k` per relevant marginal, the acceptable waiting time, and the guarantee.
    """

    columns: int
    k: int
    seconds: float
    epsilon: float


class Mechanism(ABC):
    """Base class of all mechanisms: a frozen dataclass of options with the method `run`.

    The user interface shows `title`, `summary`, `paper`, `suits`, `avoid` and `device` on the card of the
    method, in the group `purpose`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    purpose: ClassVar[Purpose]
    summary: ClassVar[str]
    paper: ClassVar[str]
    suits: ClassVar[str] = ""
    avoid: ClassVar[str] = ""
    device: ClassVar[str] = "CPU, one core"
    keeps_relations: ClassVar[bool] = True
    """Whether the mechanism measures several columns together."""
    chooses: ClassVar[bool] = True
    """Whether the mechanism spends budget on choosing what to measure."""

    @property
    def measures_columns(self) -> bool:
        """Whether the mechanism measures every column alone."""
        return True

    joins: ClassVar[bool] = True
    """Whether one model can contain all measurements of the mechanism, in the codes that it receives."""
    embeds: ClassVar[bool] = False
    """Whether the mechanism measures random waves of records instead of tables."""
    votes: ClassVar[bool] = False
    """Whether the mechanism measures votes of records, which few generators can use."""
    tiles: ClassVar[bool] = False
    """Whether the mechanism may measure tilings (`Evidence.tilings`), which few generators and no bounds can
    use. Any other mechanism must measure all larger tables in the same groups of codes.
    """
    starts: ClassVar[bool] = False
    """Whether the mechanism can start from a public table (`Problem.start`)."""
    trains: ClassVar[str] = ""
    """Name of the network that the mechanism trains on private gradients (`networks.trainee`). Only a
    generator for the same network can continue the training. The name is empty if no network is trained.
    """
    pace: ClassVar[float | None] = None
    """Number of seconds per 1,000 candidates and column, measured on Adult and an invented town."""
    generator: ClassVar[str] = "pgm"
    """Name of the mechanism's own generator in `models.registry`. It fits the models unless the problem names
    another generator.
    """
    stand_ins: ClassVar[tuple[str, ...]] = ()
    """Generators that can replace the mechanism's own generator from the first fit on, if requested. Any
    other generator is used only after the last query; until then, the mechanism makes its choices with its
    own generator (`chooses`).
    """
    law: ClassVar[Law] = GAUSSIAN
    """Accounting rule of the mechanism's queries. GDP allows all queries except training."""
    column_power: ClassVar[float] = POWER
    """Exponent of the first cost of columns, which is proportional to this power of their number of codes. 0
    means equal costs.
    """
    pairs_per_column: ClassVar[float] = 1.0
    """Number of pairs per column by which a forecast divides the budget of relations. It is chosen so that
    the forecast fits a typical pair in runs on public tables. Infinity means all pairs, for methods that
    measure most pairs or spend much before the last ones. 0 means that no pair is counted.
    """
    fast: ClassVar[str | None] = None
    """Name of a generator that fits the models in a fraction of the time. None if the mechanism's own
    generator is fast.
    """

    @property
    def asks_rows(self) -> bool:
        """Return whether the mechanism needs more than counts. Such a mechanism cannot release a table in a
        database.
        """
        return self.embeds or self.votes or bool(self.trains)

    def own_generator(self) -> Generator:
        """Return the default generator of the mechanism's models."""
        return GENERATORS[self.generator]()

    def first_pass(self, prospect: Prospect) -> float | None:
        """Return the share of the cost for single columns, or None if it is not known before the run."""
        return None

    def choosing_pass(self, prospect: Prospect) -> float:
        """Return the budget share of selection if the run determines it, as the option allows."""
        return 0.0

    def asks_interactions(self, sizes: Sequence[int]) -> bool:
        """Return whether the mechanism measures interactions (`measurements.interactions`) if columns have
        these numbers of codes.
        """
        return False

    def is_avoided(self, occasion: Occasion) -> bool:
        """Return whether `avoid` applies, or may apply. The method is then not recommended."""
        return bool(self.avoid)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time and the memory for all marginals of up to k columns. Return None if they were never
        measured.
        """
        if self.pace is None:
            return None
        candidates = sum(math.comb(len(domain), i) for i in range(1, k + 1))
        seconds, whole = self.pace * candidates * len(domain) / 1000, math.prod(domain.sizes)
        cells = whole if self.most_cells is None else min(self.most_cells, whole)
        return Outlook.of((seconds / 2, 4 * seconds + cells * SECONDS_PER_CELL), cells=cells)

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """Return the `outlook` if this generator draws the records. A generator other than the mechanism's
        own replaces the only fit, or adds a fit if the mechanism makes choices. A mechanism that always fits
        with the given generator overrides this method.
        """
        if generator.name == self.generator:
            return self.outlook(domain, k=k)
        own, fit = self.outlook(domain, k=k), generator.seconds(domain)
        if own is None or fit is None:
            return None
        if not self.chooses:
            return replace(own, fastest=fit[0], slowest=fit[1])
        return replace(own, fastest=own.fastest + fit[0], slowest=own.slowest + fit[1])

    def modelled(self, evidence: Evidence, problem: Problem) -> Fitted:
        """Fit the only model of a run that makes no model-based choices."""
        generator = problem.generator or self.own_generator()
        model = generator.fit(evidence, seed=problem.seed, device=problem.device, report=problem.report)
        return Fitted(evidence=evidence, model=model)

    @property
    def most_cells(self) -> int | None:
        """Return the maximum number of cells that the option in MB or cells allows. Return None if there is
        no such option.
        """
        for option_field in options_of(type(self)):
            unit, value = option_field.metadata["unit"], getattr(self, option_field.name)
            if unit in ("MB", "cells"):
                return int(value * (CELLS_PER_MB if unit == "MB" else 1))
        return None

    @abstractmethod
    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        """Run the mechanism: query the source, select what to measure, and fit a model.

        The source is the only access to the table, and the mechanism spends at most `source.left`.
        Computations on answers are post-processing and may use `rng`, which never draws privacy noise.
        """
        ...


class TimedByGenerator(Mechanism):
    """Base class of the methods that always fit with the given generator, so that `outlook_by` is the whole
    time.
    """

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        return self.outlook_by(self.own_generator(), domain, k=k)


LEAST_LEFT = 0.05
"""Minimum share of the cost for measuring, after single columns and selection."""


def check_options(mechanism: Mechanism) -> None:
    """Check that a run can satisfy the options, before any budget is charged.

    Raises: `Mistake` for a value of the wrong type or outside its limits, and for shares that leave too
    little budget for measuring.
    """
    check_values(mechanism)
    taken, shares = 0.0, list[str]()
    for f in options_of(type(mechanism)):
        value, part = getattr(mechanism, f.name), f.metadata["part"]
        if part in ("columns", "choosing", "looking"):
            taken += value * (2 if part == "looking" else 1)  # half of choosing, see `options.option`
            shares.append(f"{f.metadata['label']} ({f.name}) {value:g}")
    if taken > 1 - LEAST_LEFT + 1e-9:
        raise Mistake(
            f"{' and '.join(shares)} leave too little budget for measuring. Together they may use at most "
            f"{per_cent(1 - LEAST_LEFT)} of it. Lower one of them."
        )
