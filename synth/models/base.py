"""Base class of all generators: frozen options with one method, `fit`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.progress import UNSAVED, Checkpoint, Reporter, silent
from synth.core.system.device import AUTO


class Projected:
    """Base class of everything with model tables (`model.Model`). A subclass defines `project` or
    `project_many`.
    """

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return expected counts. Shapes: float64[shape(clique)]."""
        return self.project_many([clique])[0]

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts of many cliques."""
        return [self.project(clique) for clique in cliques]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The inputs of a fit besides the evidence, as described in `Generator.fit`."""

    start: Model | None = None
    seed: int = 0
    device: str = AUTO
    report: Reporter = silent
    checkpoint: Checkpoint = UNSAVED


@dataclass(frozen=True, kw_only=True)
class Generator(ABC):
    """Base class of the generators: a frozen dataclass of options (`options.option`) with the method `fit`.

    `summary` describes it to users in one sentence. `joins_all`: it needs one junction tree that contains
    every measurement; `relates`: it is useful only if relations between columns were measured; `embeds`: it
    uses mean embeddings; `votes`: it uses votes; `halves`: it uses half-space measurements; `tiles`: it uses
    tables in several sets of groups, `Evidence.tilings` (other generators ignore these); `starts`: it uses
    the relations of a starting table, `Evidence.start` (other generators use its columns only); `trains`: the
    network, trained on private data, from which it draws records (`networks.trainee`); `on_device`: its fit
    can run on a graphics card; `resumes`: it saves the end of a fit in its checkpoint
    (`progress.Checkpoint.finish`) and restores its model from it without a further step; `packages`: optional
    packages that it needs.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    joins_all: ClassVar[bool] = False
    relates: ClassVar[bool] = True
    embeds: ClassVar[bool] = False
    votes: ClassVar[bool] = False
    halves: ClassVar[bool] = False
    tiles: ClassVar[bool] = False
    starts: ClassVar[bool] = False
    trains: ClassVar[str] = ""
    on_device: ClassVar[bool] = False
    resumes: ClassVar[bool] = False
    packages: ClassVar[tuple[str, ...]] = ()

    def fit(
        self,
        evidence: Evidence,
        *,
        start: Model | None = None,
        seed: int = 0,
        device: str = AUTO,
        report: Reporter = silent,
        checkpoint: Checkpoint = UNSAVED,
    ) -> Model:
        """Fit a model to the evidence: post-processing of noisy measurements and public facts.

        `start`: an earlier model from which the search starts; a model of another kind is ignored. `seed` is
        for random starts, and `device` (`system.device`) for fits that can run on a graphics card. `report`
        is called every few seconds and may raise `Cancelled`. If a fit reports `steps` and `loss` (about a
        hundred times in total), the run page shows a live chart. `checkpoint` holds the final state of an
        earlier fit. On the CPU, the same arguments give the same model.
        """
        how = Setting(start=start, seed=seed, device=device, report=report, checkpoint=checkpoint)
        return self.fitted(evidence, how)

    @abstractmethod
    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """Implement `fit`, which calls this method."""

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """Return the shortest and the longest time in seconds of a fit to all pairs of columns, including
        drawing records, estimated from public facts: on the device from `device.likely_device`, or on one
        core if `on_device` is false. None if the time was never measured.
        """
        return None

    def rough(self) -> Self:
        """Return options for a less exact fit of a model that is used only once and then fitted again."""
        return self
