"""MargNet's generator: a residual network whose output is a mixture of products (Chen, Gong, Wang; 2025).

A fixed input of b rows, each a value of every column drawn once, goes through two blocks Linear, BatchNorm,
ReLU (the input of a block beside its output) to one softmax per column. Its b rows are the components of a
mixture of products, fitted so that the mixture's pair tables come near the noisy ones; every component makes
as many records as the others. Warm: a fit that is given the network of an earlier one goes on from it.

Differs from the paper in, unless `as_published`: (a) an answer weighs as its precision, which makes the loss
the likelihood of the noise, not as its root; (b) the output is added to the logarithms of the columns'
shares, and drawn to them by `pull` nats, since what nobody measured is otherwise whatever the network began
with; (c) one-way answers are smoothed, and told by their pairs as well (`generate.targets`); (d) Adam's rate
falls along half a cosine in the last fit. In any case: (e) noisy counts are not clipped, as the paper says and
its code does not; (f) batch normalisation takes the batch's own mean and variance in sampling as in training;
(g) columns that structural zeros tie together share one softmax over the cells that are allowed.
Cost: a step is 6 b (parameters + D^2) operations, D the number of codes of all columns, b the batch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.answers import Measurement
from synth.device import AUTO, device_of
from synth.domain import Clique, Domain
from synth.evidence import Evidence
from synth.generate.base import Generator
from synth.generate.coarse import Coarsening, onto
from synth.generate.pgm import fitting
from synth.generate.targets import Targets, targets_of
from synth.model import Model
from synth.options import option
from synth.progress import UNSAVED, Checkpoint, Progress, Reporter, silent

if TYPE_CHECKING:
    from synth.generate.network_torch import NetworkTask

STATE = "network"
"""The name of what a fit saves."""

LEAST_SHARE = 1e-7
"""Of a column's records: shares below this are taken for this where logarithms are."""

KAPPA = 0.5
"""The pull to independent columns in nats, times the median noise of a pair over the number of records."""


@dataclass(frozen=True, kw_only=True)
class _Size:
    width: int
    batch: int


def _size(domain: Domain) -> _Size:
    """Units and batch as the paper chooses them for tables of so many columns; on small tables no wider than
    four times the codes, which is more than such a table has to tell."""
    codes, columns = sum(domain.sizes), len(domain)
    width = 256 if columns < 16 else 512 if columns < 30 else 1024
    return _Size(width=min(width, 4 * codes), batch=min(512, 8 * codes))


@dataclass(frozen=True, eq=False)
class NetworkModel:
    coarsening: Coarsening
    total: float
    shares: NDArray[np.float32]
    firsts: NDArray[np.intp]
    weights: NDArray[np.float32]
    converged: bool = True

    @property
    def domain(self) -> Domain:
        return self.coarsening.domain

    def project_many(self, cliques: Iterable[Clique]) -> list[NDArray[np.float64]]:
        gram = (self.shares.T @ self.shares).astype(np.float64) * (self.total / len(self.shares))
        mean = self.shares.mean(axis=0, dtype=np.float64) * self.total
        out = []
        for r in cliques:
            s = [slice(self.firsts[i], self.firsts[i + 1]) for i in self.coarsening.coarse.axes(r)]
            out.append(mean[s[0]] if len(s) == 1 else gram[s[0], s[1]])
        return out

    @property
    def cells(self) -> int:
        return self.shares.size

    @property
    def cliques(self):
        return (self.domain.names,)

    def project(self, clique):
        return self.project_many([clique])[0]

    def sample(self, rows, rng):
        k = rng.permutation(np.arange(rows) % len(self.shares))
        out = np.empty((rows, len(self.domain)), np.int64)
        for i in range(len(self.domain)):
            p = self.shares[:, self.firsts[i] : self.firsts[i + 1]].astype(float)
            cdf = np.cumsum(p, 1)
            cdf /= cdf[:, -1:]
            out[:, i] = (rng.random(rows)[:, None] > cdf[k]).sum(1)
        return out


@dataclass(frozen=True, kw_only=True)
class NetworkGenerator(Generator):
    """How large the network is and how it is trained. The paper's settings are `as_published` with 200 steps
    in every fit (Adult, Bank, Gauss10; 100 at epsilon 10; Gauss30 200, Gauss50 500, Loan 1,000)."""

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Neural network"
    summary: ClassVar[str] = (
        "A network taught to make records whose pair tables come near the answers; slow without a graphics "
        "card, and no more accurate than a mixture."
    )

    width: int = option(
        0, label="Units", help="Of each of the two hidden layers; 0 means by the table.", low=0, high=1024
    )
    batch: int = option(
        0, label="Batch", help="Records made at once: components; 0 means by the table.", low=0, high=4096
    )
    steps: int = option(300, label="Steps", help="Of the last fit; the paper takes 200.", low=10, high=2000)
    round_steps: int = option(
        15,
        label="Steps of a round",
        help="Of a fit that is looked at once and gone on from; the paper takes 200.",
        low=1,
        high=1000,
    )
    rate: float = option(
        1.0, label="Learning rate", help="Of Adam, in thousandths.", low=0.01, high=100, unit="thousandths"
    )
    pull: float = option(
        1.0,
        label="Pull to independence",
        help="How strongly relations that nobody measured are drawn to independence.",
        low=0,
        high=100,
    )
    as_published: bool = option(
        False, label="As published", help="The paper's loss, without pull and without a falling rate.",
        low=False, high=True,
    )  # fmt: skip
    is_rough: bool = False
    base: bool = True
    boost: bool = True

    def rough(self) -> NetworkGenerator:
        """The fit between two rounds: fewer steps, the newest answer d times as heavy."""
        return replace(self, is_rough=True)

    def fit(
        self,
        evidence: Evidence,
        *,
        start: Model | None = None,
        seed: int = 0,
        device: str = AUTO,
        report: Reporter = silent,
        checkpoint: Checkpoint = UNSAVED,
    ) -> NetworkModel:
        """Deterministic on the processor. ValueError if a column was measured in two different sets of groups,
        or a group holds codes that a zero tells apart."""
        from synth.generate import network_torch

        targets = targets_of(evidence)
        size = _size(targets.domain)
        task = self._task(evidence, targets, batch=self.batch or size.batch, seed=seed)
        training = network_torch.Training(
            width=self.width or size.width,
            steps=self.round_steps if self.is_rough else self.steps,
            rate=self.rate / 1000,
            falls=not (self.as_published or self.is_rough),
            seed=seed,
        )
        pulse = _Pulse(training.steps, report, checkpoint)
        trained = network_torch.train(
            task,
            training,
            start=start.weights if isinstance(start, NetworkModel) else None,
            saved=checkpoint.load().get(STATE),
            device=device_of(device),
            told=pulse.told,
            split=pulse.split,
        )
        return NetworkModel(targets.coarsening, targets.total, trained.shares, targets.firsts, trained.weights)

    def _task(self, evidence: Evidence, targets: Targets, *, batch: int, seed: int) -> NetworkTask:
        from synth.generate.network_torch import NetworkTask

        newest = _newest(evidence) if self.is_rough and self.boost else None
        weighed = _published(evidence, targets, newest) if self.as_published else _by_precision(targets, newest)
        pull = 0.0 if self.as_published or not targets.pairs else self.pull * KAPPA / targets.typical_sigma
        return NetworkTask(
            heads=targets.domain.sizes,
            spread=None,
            pairs=weighed.pairs,
            pair_weights=weighed.pair_weights,
            columns=weighed.columns,
            column_weights=weighed.column_weights,
            base=np.log(np.maximum(targets.shares, LEAST_SHARE)).astype(np.float32),
            is_based=self.base and not self.as_published,
            pull=pull,
            inputs=_inputs(targets.domain.sizes, batch, np.random.default_rng(seed)),
        )


@dataclass(frozen=True, eq=False)
class _Weighed:
    """Noisy shares of columns and pairs and what they weigh, in one numbering of all codes."""

    columns: NDArray[np.float32]
    column_weights: NDArray[np.float32]
    pairs: NDArray[np.float32]
    pair_weights: NDArray[np.float32]

    @staticmethod
    def of(codes: int) -> _Weighed:
        one, two = (codes,), (codes, codes)
        return _Weighed(*(np.zeros(shape, dtype=np.float32) for shape in (one, one, two, two)))


def _newest(evidence: Evidence) -> Clique | None:
    """The pair that was measured last, None if the last answer is about a single column."""
    last = max(evidence.measurements, key=lambda m: m.step, default=None)
    return last.clique if last is not None and len(last.clique) == 2 else None


def _by_precision(targets: Targets, newest: Clique | None) -> _Weighed:
    """Weights with which the loss is the negative log-likelihood of the noise per record."""
    found, total = _Weighed.of(int(targets.firsts[-1])), targets.total
    found.columns[:] = targets.shares
    for i, sigma in enumerate(targets.sigmas):
        found.column_weights[targets.span(i)] = total / sigma**2
    for (i, j), table in targets.pairs.items():
        boost = len(targets.domain) if (targets.domain.names[i], targets.domain.names[j]) == newest else 1
        weight = boost * total / table.sigma**2
        for one, other, counts in ((i, j, table.counts), (j, i, table.counts.T)):
            block = targets.span(one), targets.span(other)
            found.pairs[block], found.pair_weights[block] = counts / total, weight
    return found


def _published(evidence: Evidence, targets: Targets, newest: Clique | None) -> _Weighed:
    """The paper's weights: sqrt(price over that of the first round), d times that for the newest answer; of a
    pair measured again the weighted mean, the weights added. Times D, which Adam does not see but for its
    epsilon."""
    found, total = _Weighed.of(int(targets.firsts[-1])), targets.total
    asked = [m for m in evidence.measurements if len(m.clique) <= 2]
    first = max((float(m.variance) for m in asked), default=1.0)
    last = max((m.step for m in asked), default=0)
    scale = float(targets.firsts[-1])
    for m in asked:
        weight = scale * math.sqrt(first / float(m.variance))
        weight *= len(targets.domain) if m.clique == newest and m.step == last else 1
        share = onto(targets.coarsening, m).counts / total
        axes = targets.domain.axes(m.clique)
        if len(axes) == 1:
            _add(found.columns, found.column_weights, (targets.span(axes[0]),), share, weight)
            continue
        i, j = axes
        _add(found.pairs, found.pair_weights, (targets.span(i), targets.span(j)), share, weight)
        _add(found.pairs, found.pair_weights, (targets.span(j), targets.span(i)), share.T, weight)
    return found


def _add(
    means: NDArray[np.float32],
    weights: NDArray[np.float32],
    block: tuple[slice, ...],
    share: NDArray[np.float64],
    weight: float,
) -> None:
    """Into a weighted mean."""
    before = weights[block]
    means[block] = (before * means[block] + weight * share) / (before + weight)
    weights[block] += weight


def _inputs(heads: tuple[int, ...], batch: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Of every row a value of each head, drawn evenly, one-hot."""
    drawn = [np.eye(size, dtype=np.float32)[rng.integers(0, size, batch)] for size in heads]
    return np.concatenate(drawn, axis=1)


class _Pulse:
    """A word to whoever waits every few seconds, and the state to go on from."""

    def __init__(self, steps: int, report: Reporter, checkpoint: Checkpoint) -> None:
        self._steps, self._report, self._checkpoint = steps, report, checkpoint
        self._told = fitting.time.monotonic()

    def told(self, step, loss, state) -> None:
        now = fitting.time.monotonic()
        if now - self._told > fitting.PULSE_SECONDS:
            self._checkpoint.save({STATE: state()})
            fact = f"teaching the network: loss {loss:.4g} against the noisy answers, step {step}"
            self._report(Progress(stage="fit", done=step / self._steps, fact=fact))
            self._told = now

    def split(self, chunks: int) -> None:
        fact = f"the device is out of memory: the batch is cut into {chunks} chunks"
        self._report(Progress(stage="fit", done=0.0, fact=fact))
