"""Base class of all generators: frozen dataclasses of options with one main method, `fit`."""

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
    """Base class of all models with expected tables (`model.Model`). Subclasses define `project` or
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

    `summary` describes the generator to users in one sentence. The other class attributes describe the
    generator:

    - `joins_all`: the generator needs one junction tree that contains every measurement.
    - `relates`: it is only useful if relations between columns were measured.
    - `embeds`: it uses mean embeddings.
    - `votes`: it uses votes.
    - `halves`: it uses half-space measurements.
    - `tiles`: it uses tables in several sets of groups (`Evidence.tilings`), which other generators ignore.
    - `starts`: it uses the relations of a starting table (`Evidence.start`). Other generators use only the
      columns of this table.
    - `trains`: the network, trained on private data, from which it draws records (`networks.trainee`).
    - `on_device`: its fit can run on a graphics card.
    - `resumes`: it saves the result of a fit in its checkpoint (`progress.Checkpoint.finish`), and can
      restore its model from the checkpoint without further steps.
    - `packages`: the optional packages that it needs.
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
        """Fit a model to the evidence. This is post-processing of noisy measurements and public facts.

        `start`: an earlier model from which the search starts. Models of another kind are ignored. `seed` is
        used for random starts, and `device` (`system.device`) for fits that can run on a graphics card.
        `report` is called every few seconds and may raise `Cancelled`. If a fit reports `steps` and `loss`
        (about 100 times in total), the run page shows a live chart. `checkpoint` holds the final state of an
        earlier fit. On the CPU, the same arguments always return the same model.
        """
        how = Setting(start=start, seed=seed, device=device, report=report, checkpoint=checkpoint)
        return self.fitted(evidence, how)

    @abstractmethod
    def fitted(self, evidence: Evidence, how: Setting) -> Model:
        """Fit the model. `fit` calls this method, which every generator implements."""

    def seconds(self, domain: Domain) -> tuple[float, float] | None:
        """Return the shortest and the longest time, in seconds, of a fit to all pairs of columns, including
        drawing records.

        The times are estimated from public facts, for the device from `device.likely_device`, or for one core
        if `on_device` is false. Return None if the time was never measured.
        """
        return None

    def rough(self) -> Self:
        """Return options for a less accurate fit of a model that is used only once before it is fitted
        again.
        """
        return self
