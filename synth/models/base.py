"""What every generator is: frozen options with one verb."""

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
    """Tables of a model (`model.Model`), which makes one at a time or many at once: either of both."""

    def project(self, clique: Clique) -> NDArray[np.float64]:
        """Return expected counts. Shapes: float64[shape(clique)]."""
        return self.project_many([clique])[0]

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        """Return expected counts of many cliques."""
        return [self.project(clique) for clique in cliques]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The inputs of a fit besides the evidence; `Generator.fit` explains each of them."""

    start: Model | None = None
    seed: int = 0
    device: str = AUTO
    report: Reporter = silent
    checkpoint: Checkpoint = UNSAVED


@dataclass(frozen=True, kw_only=True)
class Generator(ABC):
    """Base of the generators: a frozen dataclass of options (`options.option`) and `fit`.

    `summary` describes it to users in one sentence. `joins_all`: it needs one junction tree that holds every
    answer; `relates`: it has something to add only where relations between columns were asked about;
    `embeds`: it reads mean embeddings; `votes`: it reads votes; `halves`: it reads sides of half-spaces,
    `tiles`: tables in several sets of groups, `Evidence.tilings` (others ignore these); `trains`:
    the network, trained in private, that it makes records with (`networks.trainee`); `on_device`: a graphics
    card can compute its fit; `resumes`: it saves the end of a fit in its checkpoint
    (`progress.Checkpoint.finish`) and rebuilds its model from that without a step;
    `packages`: optional packages that it needs.
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

        `start`: an earlier model to search from; a model of another kind is ignored. `seed` is for random
        starts, `device` (`system.device`) for fits that can run on a graphics card. `report` is
        called every few seconds and may raise `Cancelled`; a fit that reports `steps` and `loss`,
        about a hundred times in all, is drawn live on the run page. The next fit of the same
        evidence begins at the state that `checkpoint` keeps. Without a checkpoint the same
        arguments give the same model, on the CPU.
        """
        how = Setting(start=start, seed=seed, device=device, report=report, checkpoint=checkpoint)
        return self.fitted(evidence, how)

    @abstractmethod
    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """See `fit`, which calls it."""

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """How fast and how slow a fit to all pairs of columns with its records will be, from public facts: on
        the device that `device.likely_device` returns, on one core where `on_device` is false. None if no one
        has measured it."""
        return None

    def rough(self) -> Self:
        """The same, as exact as a model has to be that is looked at once and fitted again."""
        return self
