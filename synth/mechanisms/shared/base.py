"""Mechanisms: frozen options with one method, `run`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from synth.core.accounting import ZCDP, Law
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence, Start
from synth.core.model import Model
from synth.core.numbers import per_cent
from synth.core.options import check_values, options_of
from synth.core.progress import UNKEPT, Fits, Progress, Reporter, silent
from synth.core.system.device import AUTO
from synth.core.zeros import Zero
from synth.mechanisms.selection.allocation import POWER
from synth.mechanisms.selection.workload import Workload
from synth.models.base import Generator
from synth.models.registry import GENERATORS
from synth.private.source import Source

CELLS_PER_MB = 2**17
"""Cells per MB, at eight bytes each."""

SECONDS_PER_CELL = 5e-6
"""Seconds per cell for fitting a model of the largest allowed size."""


class Purpose(StrEnum):
    """The purpose of a method. The user interface groups methods by purpose."""

    GENERAL = "general"
    """Scores the table first and measures what matters: a first choice for most tables."""
    WIDE = "wide"
    """Measures every pair: for wide tables with many related columns."""
    MODEL = "model"
    """Measures some relations and solves one graphical model: the classic methods."""
    FITTED = "fitted"
    """Generates records by a network, by particles or by search: slow, but faster on a graphics card."""
    BASELINE = "baseline"
    """Baselines that every other method should beat."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The task of a mechanism, all of which is public.

    The codebook describes the source's codes. `generator` fits its models; None means the mechanism's own
    generator. `seed` and `device` are for models with a random start or that can use a graphics card. `fits`
    stores the results of the fits between rounds. `follower` draws the released records if neither
    `generator` nor the mechanism's own generator does. `start` is a public table to start from.
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
    """The result of a mechanism: all answers, and a model of them."""

    evidence: Evidence
    model: Model


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The estimated time of a run on one core, from public facts: seconds, and the size of the model in
    MB.
    """

    fastest: float
    slowest: float
    model_mb: float

    @classmethod
    def of(cls, seconds: tuple[float, float] | None, *, cells: float) -> Outlook | None:
        """Return an estimate from the fastest to the slowest case, with a model of this size; None if it was
        never measured.
        """
        return seconds and cls(fastest=seconds[0], slowest=seconds[1], model_mb=cells / CELLS_PER_MB)


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """Public facts before a run: codes per column, the rough number of records, and the noise at the whole
    budget (sigma, in counts).
    """

    sizes: tuple[int, ...]
    rows: float = 10_000.0
    sigma: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """Public facts from which a method is recommended: the number of columns, the number of columns `k` per
    relevant marginal, the acceptable waiting time, and the guarantee.
    """

    columns: int
    k: int
    seconds: float
    epsilon: float


class Mechanism(ABC):
    """Base class of the mechanisms: a frozen dataclass of options with `run`.

    `title`, `summary`, `paper`, `suits`, `avoid` and `device` are shown on the method's card in the user
    interface, and `purpose` is its group.
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
    """Whether it measures several columns together."""
    chooses: ClassVar[bool] = True
    """Whether it spends budget on choosing what to measure."""
    joins: ClassVar[bool] = True
    """Whether one model can contain all its measurements, in the codes it receives."""
    embeds: ClassVar[bool] = False
    """Whether it measures interactions (`measurements.interactions`) for columns with this many codes."""
    votes: ClassVar[bool] = False
    """Whether it measures votes of records, which few generators use."""
    tiles: ClassVar[bool] = False
    """Whether it may measure tilings (`Evidence.tilings`), which few generators and no bounds use; any other
    mechanism must measure larger tables in one set of groups.
    """
    starts: ClassVar[bool] = False
    """Whether it can start from a public table (`Problem.start`)."""
    trains: ClassVar[str] = ""
    """The network that it trains on private gradients (`networks.trainee`), which only a generator for such a
    network can continue; empty if it trains none.
    """
    pace: ClassVar[float | None] = None
    """Seconds per thousand candidates times columns, as measured on Adult and an invented town."""
    generator: ClassVar[str] = "pgm"
    """The name in `models.registry` of the generator of its models, unless the problem has another."""
    stand_ins: ClassVar[tuple[str, ...]] = ()
    """Generators that can fit its models from the first one on, if requested. Any other generator is used
    only after the last query; for choices, the mechanism then uses its own (`chooses`).
    """
    law: ClassVar[Law] = ZCDP
    """The accounting rule of its queries. Under Gaussian accounting, it may measure marginals and noisy
    scores but make no selections: the session and the ledger refuse anything else, and the cost is lower.
    """
    column_power: ClassVar[float] = POWER
    """Columns first get a cost in proportion to this power of their number of codes; 0 means equal costs."""
    pairs_per_column: ClassVar[float] = 1.0
    """Number of pairs per column over which a forecast divides the budget of relations: about the value for a
    typical pair in runs on public tables. Infinity means all pairs: for methods that measure most pairs, or
    spend much before the last ones. 0 means that the counts of no pair are measured.
    """
    fast: ClassVar[str | None] = None
    """A generator that fits its models in a fraction of the time; None if its own is fast."""

    @property
    def asks_rows(self) -> bool:
        """Whether the mechanism needs more than counts. If so, it cannot release a table in a database."""
        return self.embeds or self.votes or bool(self.trains)

    def own_generator(self) -> Generator:
        """The generator of its models by default."""
        return GENERATORS[self.generator]()

    def first_pass(self, prospect: Prospect) -> float | None:
        """Return the share of the cost for single columns, None if it is not known beforehand."""
        return None

    def choosing_pass(self, prospect: Prospect) -> float:
        """Return the budget share for selection, if the option lets the run decide."""
        return 0.0

    def asks_interactions(self, sizes: Sequence[int]) -> bool:
        """Whether the mechanism measures interactions (`measurements.interactions`) if columns have
        this many codes.
        """
        return False

    def is_avoided(self, occasion: Occasion) -> bool:
        """Whether `avoid` applies, or may apply; the method is then not recommended."""
        return bool(self.avoid)

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        """Return time and memory for all marginals of up to k columns; None if they were never measured."""
        if self.pace is None:
            return None
        candidates = sum(math.comb(len(domain), i) for i in range(1, k + 1))
        seconds, whole = self.pace * candidates * len(domain) / 1000, math.prod(domain.sizes)
        cells = whole if self.most_cells is None else min(self.most_cells, whole)
        return Outlook.of((seconds / 2, 4 * seconds + cells * SECONDS_PER_CELL), cells=cells)

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """Return the `outlook` with this generator for the records. If it is not the mechanism's own, there
        is one more fit if the mechanism makes choices, and otherwise it is the only fit. A mechanism that
        always fits with this generator overrides this method.
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
        """Fit the only model of a run that makes no choices based on models."""
        generator = problem.generator or self.own_generator()
        model = generator.fit(evidence, seed=problem.seed, device=problem.device, report=problem.report)
        return Fitted(evidence=evidence, model=model)

    @property
    def most_cells(self) -> int | None:
        """Return the largest number of cells that the option in MB or cells allows; None without such an
        option.
        """
        for option_field in options_of(type(self)):
            unit, value = option_field.metadata["unit"], getattr(self, option_field.name)
            if unit in ("MB", "cells"):
                return int(value * (CELLS_PER_MB if unit == "MB" else 1))
        return None

    @abstractmethod
    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        """Run the mechanism: query, choose, measure, and fit.

        The source is its only access to the table, and it spends at most `source.left`. Computations on
        answers are post-processing and may use `rng`, which never draws privacy noise.
        """
        ...


class TimedByGenerator(Mechanism):
    """Base of the methods that always fit with their generator, so that `outlook_by` is the whole time."""

    def outlook(self, domain: Domain, *, k: int) -> Outlook | None:
        return self.outlook_by(self.own_generator(), domain, k=k)


LEAST_LEFT = 0.05
"""Share of a cost that single columns and choosing must leave for measuring."""


def check_options(mechanism: Mechanism) -> None:
    """Check that a run can satisfy the options, before anything is charged.

    Raises: `Mistake` for a value of the wrong type or outside its limits, and for shares that leave too
    little.
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
