"""Draw records from a network, without impossible records and with the measured column counts.

Networks trained on private gradients reproduce the one-way counts less accurately than the noisy
measurements, and they do not know the forbidden cells. Therefore, the records are corrected:

1. Draw records in batches, and draw records in forbidden cells again a few times.
2. Move the records that are still in a forbidden cell out of it (`repair`).
3. Fit record weights until every column agrees with its measurement, and draw records by weight.

A denoising network (Kotelnikov, Baranchuk, Rubachev, Babenko, TabDDPM: Modelling Tabular Data with Diffusion
Models, ICML 2023; `core.networks.denoiser`) denoises codes drawn from its base step by step. The generator of
a GAN (Xu, Skoularidou, Cuesta-Infante, Veeramachaneni, Modeling tabular data using conditional GAN, NeurIPS
2019; `core.networks.forger` and `critic`) is trained once more with the critic of the last training result.
It draws records from random inputs and conditions on column values. Both draw independent columns if no
network was trained.

The papers have no lines 1 and 2, because they have no forbidden cells. They also have no line 3. It is
necessary here because clipped gradients differ from the gradients of the loss, and a generator follows its
critic, so that the one-way counts of both become inaccurate although they were measured.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.networks.critic import Critic
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.forger import Forger
from synth.core.networks.layers import Base
from synth.core.numbers import number_of, per_cent
from synth.core.progress import Progress, Reporter
from synth.models.base import Generator, Setting
from synth.models.coarse import Coarsening
from synth.models.estimates.columns import one_ways
from synth.models.records.gradual_update import Guard
from synth.models.records.record_table import FEWEST, MOST, RecordTable, count_of, records_option
from synth.models.repair import repaired

DRAWS = 8
"""Maximum number of times that records in a forbidden cell are drawn again before they are moved."""

HEAVIEST, SWEEPS = 8.0, 20

TIMES = 24
"""Number of diffusion times of an untrained network, which is also used to estimate the time."""

Codes = NDArray[np.int64]
Draw = Callable[[int], Iterator[Codes]]
"""A function that draws a given number of records in batches. Shapes: int64[some rows, columns]."""


@dataclass(frozen=True, kw_only=True)
class Drawn(Generator):
    """Base class of the generators whose network was trained on private gradients. Their only option is the
    number of records.

    `stream`: the number of the random stream. `per_code`: the time in seconds per record and code, on one
    core.
    """

    stream: ClassVar[int]
    per_code: ClassVar[float]

    records: int = records_option("generated")

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time as a range, because the number of records is private."""
        work = sum(domain.sizes) * self.per_code
        return 0.1 + work * (self.records or FEWEST), 1 + 4 * work * (self.records or MOST)

    def fitted(self, evidence: Evidence, how: Setting) -> RecordTable:
        """Fit the model on one core.

        Raises: ValueError if a column was measured in two different sets of groups, or if the zeros leave no
        record.
        """
        rng = np.random.default_rng([how.seed, self.stream])
        return table_drawn(
            evidence, self.draws(evidence, rng), records=self.records, rng=rng, report=how.report
        )

    @abstractmethod
    def draws(self, evidence: Evidence, rng: np.random.Generator) -> Draw:
        """Return the function that draws records from the network of the last training result."""


@dataclass(frozen=True, kw_only=True)
class Denoised(Drawn):
    """Options of a denoising network: the number of records."""

    name: ClassVar[str] = "denoised"
    title: ClassVar[str] = "Denoising network"
    summary: ClassVar[str] = "Records from a denoising network that was trained with private gradients."
    trains: ClassVar[str] = Denoiser.name

    stream: ClassVar[int] = 9
    per_code: ClassVar[float] = TIMES * 2e-8

    def draws(self, evidence: Evidence, rng: np.random.Generator) -> Draw:
        net, weights = network_of(evidence)
        return lambda rows: net.records(weights, rows, rng)


def network_of(evidence: Evidence) -> tuple[Denoiser, NDArray[np.float32]]:
    """Return the trained network, or a network that draws every column independently."""
    for last in reversed(evidence.trained):
        if last.state.size and isinstance(last.net, Denoiser):
            return last.net, last.weights
    net = Denoiser(evidence.domain.sizes, base_of(evidence), hidden=1, layers=1, times=TIMES)
    return net, np.zeros(net.parameters, dtype=np.float32)


@dataclass(frozen=True, kw_only=True)
class Adversarial(Drawn):
    """Options of a GAN's generator: the number of records."""

    name: ClassVar[str] = "adversarial"
    title: ClassVar[str] = "Adversarial network"
    summary: ClassVar[str] = (
        "Records from a network that was trained against a critic with private gradients."
    )
    trains: ClassVar[str] = Critic.name

    stream: ClassVar[int] = 10
    per_code: ClassVar[float] = 2e-7

    def draws(self, evidence: Evidence, rng: np.random.Generator) -> Draw:
        critic = critic_of(evidence)
        return lambda rows: critic.forger.records(critic.making, rows, rng)


def critic_of(evidence: Evidence) -> Critic:
    """Return the critic of the last training result, with the generator that was trained with it. If there is
    no result, return an untrained critic and generator.
    """
    for last in reversed(evidence.trained):
        if last.state.size and isinstance(last.net, Critic):
            return last.net.answered(last.weights)
    sizes, base = evidence.domain.sizes, base_of(evidence)
    made_by = Forger(sizes, base, 1, 1).start(np.random.default_rng(0)).astype("<f4").tobytes()
    return Critic(
        sizes, base, hidden=1, latent=1, width=1, made=1, lessons=0, lesson=0.0, seed=0, made_by=made_by
    )


def table_drawn(
    evidence: Evidence, draw: Draw, *, records: int, rng: np.random.Generator, report: Reporter
) -> RecordTable:
    """Return a table with `records` records. 0 means the estimated number of records, within limits.

    Raises: ValueError if a column was measured in two different sets of groups, or if the zeros leave no
    record.
    """
    columns = one_ways(evidence)
    count = count_of(records, evidence.total)
    made: list[Codes] = []
    for some in draw(count):  # line 1
        made.append(_possible(some, evidence, draw))
        done = sum(map(len, made)) / count
        fact = f"generated {per_cent(done)} of {number_of(count, 'record')}"
        report(Progress(stage="fit", done=done, fact=fact))
    known = [columns[name].counts for name in evidence.domain.names]
    codes, _ = repaired(np.concatenate(made), evidence.domain, evidence.zeros, known, rng)  # line 2
    codes = codes[weighed(codes, known, rng)]  # line 3
    return RecordTable(Coarsening(evidence.domain, ()), evidence.total, codes, True)


def base_of(evidence: Evidence) -> Base:
    """Return the estimated counts of every column as positive integers."""
    columns = one_ways(evidence)
    return tuple(
        tuple(np.maximum(np.rint(columns[name].counts), 1).astype(np.int64).tolist())
        for name in evidence.domain.names
    )


def weighed(
    codes: NDArray[np.int64], columns: Sequence[NDArray[np.float64]], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw records with replacement, in proportion to weights under which each column has the given counts,
    and return their positions. The number of records stays the same. The weights are between 1/HEAVIEST and
    HEAVIEST, so the counts may be approximate. Shapes: intp[records].

    The weights are computed by iterative proportional fitting (Deming and Stephan 1940), and records are
    drawn systematically, at equal distances.
    """
    weights = np.ones(len(codes))
    for _ in range(SWEEPS):
        for column, counts in zip(codes.T, columns, strict=True):
            now = np.bincount(column, weights=weights, minlength=len(counts))
            wanted = np.maximum(counts, 0.0) * (len(codes) / max(float(counts.sum()), 1e-9))
            ratio = np.divide(wanted, now, out=np.ones_like(now), where=now > 0)
            weights = np.clip(weights * ratio[column], 1 / HEAVIEST, HEAVIEST)
    ends = np.cumsum(weights)
    places = (np.arange(len(codes)) + rng.random()) * (ends[-1] / max(len(codes), 1))
    taken = np.minimum(np.searchsorted(ends, places, side="right"), len(codes) - 1)
    return np.asarray(taken, dtype=np.intp)


def _possible(codes: Codes, evidence: Evidence, draw: Draw) -> Codes:
    """Return the records after drawing those that violate a zero again. Some records may still violate a zero
    after the last draw.
    """
    guards = Guard.of(evidence.domain, evidence.zeros)
    for _ in range(DRAWS if guards else 0):
        broken = np.flatnonzero(np.any([guard.breaks(codes.T) for guard in guards], axis=0))
        if not broken.size:
            break
        codes[broken] = np.concatenate([*draw(len(broken))])
    return codes
