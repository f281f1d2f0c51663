"""MargNet's generator: a residual network whose output is a mixture of products (Chen, Gong, Wang; 2025).

The input consists of b fixed rows, with one randomly drawn value of every column in each row. It passes
through two blocks of Linear, BatchNorm and ReLU to one softmax per column; the input of each block is
concatenated to its output. The b output rows are the components of a mixture of products. They are fitted so
that the mixture's pair tables are close to the noisy tables. Every component draws the same number of
records. Warm start: a fit that gets the network of an earlier fit continues from it.

Differences from the paper unless `as_published` is set:

- The weight of a measurement is its precision instead of the square root of its precision, so that the loss
  is the likelihood of the noise.
- The output is added to the logarithms of the columns' shares and shrunk towards them by `pull` nats, because
  unmeasured relations would otherwise keep the random values of the initial network.
- One-way measurements are smoothed and combined with their pairs (`models.targets`).
- Adam's rate decreases along half a cosine in the last fit.

Differences in any case:

- Noisy counts are not clipped. The paper describes clipping, but its code does not clip.
- Batch normalisation uses the mean and the variance of the current batch both in sampling and in training.
- Columns of a common structural zero share one softmax over the allowed cells. Zeros that are too large for
  this are enforced by repairing records, as in `models.mixture`.

Cost: a step takes 6 b (parameters + D^2) operations, where D is the number of codes of all columns and b is
the batch size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Clique, Domain
from synth.core.evidence import Evidence
from synth.core.options import option, options_of
from synth.core.system.device import device_in_words, likely_device
from synth.models.base import Generator, Setting
from synth.models.coarse import onto
from synth.models.mixture.embedding import embeddings_of
from synth.models.mixture.half_spaces import sides_of
from synth.models.mixture.mixture import MixtureModel
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.mixture.mixture_fit import Mixture
from synth.models.networks.weighed import Weighed
from synth.models.pulse import Pulse
from synth.models.targets import Targets, targets_of

if TYPE_CHECKING:
    from synth.models.networks.network_torch import NetworkTask

ENDED = "network_weights"
"""Name of the network parameters in the stored result of a fit."""

LEAST_SHARE = 1e-7
"""Lower limit of each share of the records, so that its logarithm is finite."""

KAPPA = 0.5
"""Default of `pull` in nats, as a multiple of the median noise of a pair divided by the number of records."""

RATE, RATE_WIDTH = 0.001, 256
"""Adam's rate, and the number of units from which it applies. Smaller networks need larger steps."""

PUBLISHED_STEPS = 200
"""Number of steps of every fit in the paper, on most of its tables."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class NetworkModel(MixtureModel):
    """The mixture that a network returns, and the network. Shapes: `weights`: float32[parameters]."""

    weights: Floats


OPERATIONS, CARD = 6e10, 13
"""Number of operations per second of one core, as measured, and the estimated speed of a graphics card
relative to it.
"""


@dataclass(frozen=True, kw_only=True)
class NetworkGenerator(Generator):
    """Options of the network and of its training. `as_published` selects the settings of the paper. Every fit
    whose number of steps has its default value then takes 200 steps, as on Adult, Bank, Gauss10 and Gauss30.
    The paper has 100 at epsilon 10, 500 for Gauss50, and 1,000 for Loan (see `settings`).
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Neural network"
    summary: ClassVar[str] = (
        "A neural network, trained to generate records that agree with the measurements. Faster on a GPU."
    )
    embeds: ClassVar[bool] = True
    halves: ClassVar[bool] = True
    on_device: ClassVar[bool] = True
    resumes: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("torch",)

    width: int = option(
        0,
        label="Units",
        help=("Number of units in each of the two hidden layers. 0 computes it from the table."),
        low=0,
        high=1024,
    )
    batch: int = option(
        0,
        label="Batch",
        help=("Number of components that are generated at once. 0 computes it from the table."),
        low=0,
        high=2048,
    )
    steps: int = option(
        300, label="Steps", help="Number of steps of the last fit. The paper uses 200.", low=1, high=1000
    )
    round_steps: int = option(
        15,
        label="Steps between rounds",
        help=("Number of steps of a fit between rounds. The paper uses 200."),
        low=1,
        high=1000,
    )
    rate: float = option(
        0.0,
        label="Learning rate",
        help=(
            "Learning rate of Adam. 0 computes it from the units: 1 from 256 units on, as in the paper, "
            "and more below."
        ),
        low=0,
        high=50,
        unit="thousandths",
    )
    pull: float = option(
        1.0,
        label="Pull to independence",
        help="Strength with which unmeasured relations are shrunk to independence. The paper uses 0.",
        low=0,
        high=100,
    )
    as_published: bool = option(
        False,
        label="As published",
        help=(
            "Settings of the paper: weights by the root of the precision, no pull, a constant learning "
            "rate, and 200 steps per fit unless you change them above. Many times slower."
        ),
        low=False,
        high=True,
        literal=True,
    )
    is_rough: bool = False

    @property
    def settings(self) -> NetworkGenerator:
        """Return the effective options. If `as_published` is set, the paper's number of steps replaces
        default values.
        """
        if not self.as_published:
            return self
        left = {f.name for f in options_of(NetworkGenerator) if getattr(self, f.name) == f.default}
        published: dict[str, Any] = dict.fromkeys(left & {"steps", "round_steps"}, PUBLISHED_STEPS)
        return replace(self, **published)

    def rough(self) -> NetworkGenerator:
        """Return the options of a fit between two rounds: fewer steps, and d times the weight for the newest
        measurement.
        """
        return replace(self, is_rough=True)

    def fitted(self, evidence: Evidence, how: Setting) -> NetworkModel:
        """Fit the network. Deterministic on the CPU. `seed` determines the initial network and its fixed
        input.

        Raises: ValueError if a column was measured in two different sets of groups, if a group contains codes
        that a zero treats differently, or if the zeros leave a column no possible value.
        """
        from synth.models.networks import network_torch

        targets, own = targets_of(evidence), self.settings
        blocks = Blocks.of(targets.domain, targets.zeros)
        width, batch = _size(targets.domain)
        task = self._task(evidence, targets, blocks, _inputs(blocks, self.batch or batch, how.seed))
        width = self.width or width
        training = network_torch.Training(
            width=width,
            steps=own.round_steps if own.is_rough else own.steps,
            rate=self.rate / 1000 or RATE * max(1.0, RATE_WIDTH / width),
            falls=not (self.as_published or self.is_rough),
            seed=how.seed,
        )
        pulse = Pulse("training the network", training.steps, how.report)
        trained = network_torch.train(
            task,
            training,
            start=how.start.weights if isinstance(how.start, NetworkModel) else None,
            ended=how.checkpoint.finished().get(ENDED),
            device=device_in_words(how.device, how.report),
            on_step=pulse.on_step,
        )
        how.checkpoint.finish({ENDED: trained.weights})
        return NetworkModel(
            mixture=Mixture(blocks, np.ascontiguousarray(trained.logs.T)),
            targets=targets,
            zeros=evidence.zeros,
            swaps=False,
            weights=trained.weights,
        )

    def parameters(self, domain: Domain) -> int:
        """Return the number of network parameters for a table with these columns."""
        codes, width = sum(domain.sizes), self.width or _size(domain)[0]
        return width * (2 * codes + width + 6) + codes * (codes + 2 * width + 1)

    def operations(self, domain: Domain) -> float:
        """Return the number of multiplications and additions of one step."""
        batch = self.batch or _size(domain)[1]
        return 6.0 * batch * (self.parameters(domain) + sum(domain.sizes) ** 2)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time of the steps of one fit, on the CPU or on a graphics card."""
        slowest = self.operations(domain) * self.settings.steps / OPERATIONS
        slowest /= 1 if likely_device() == "cpu" else CARD
        return slowest / 3, slowest

    def _task(self, evidence: Evidence, targets: Targets, blocks: Blocks, inputs: Floats) -> NetworkTask:
        from synth.models.networks.network_torch import NetworkTask

        newest = _newest(evidence) if self.is_rough else None
        answers = Weighed(targets, blocks)
        if self.as_published:
            _by_roots(answers, evidence, newest)
        else:
            answers.add_by_precision(newest)
        embeddings = tuple(embeddings_of(evidence, targets, blocks))
        noise = min([targets.typical_sigma, *(e.sigma for e in embeddings)])
        base = blocks.cells(np.log(np.maximum(targets.shares, LEAST_SHARE)))
        return NetworkTask(
            **answers.task_fields,
            base=None if self.as_published else base.astype(np.float32),
            pull=0.0 if self.as_published else self.pull * KAPPA / noise,
            inputs=inputs,
            embeddings=embeddings,
            sides=sides_of(evidence, targets),
        )


def _size(domain: Domain) -> tuple[int, int]:
    """Return the number of units and the batch size, which are those of the paper for tables with this number
    of columns. For small tables, which the paper does not include, they are limited to four units and eight
    components per code.
    """
    codes, columns = sum(domain.sizes), len(domain)
    width = 256 if columns < 16 else 512 if columns < 30 else 1024
    return min(width, 4 * codes), min(512 if columns < 30 else 1024, 8 * codes)


def _inputs(blocks: Blocks, batch: int, seed: int) -> Floats:
    """Draw a cell of each block for every row, uniformly, and return it in one-hot encoding. Shapes:
    float32[batch, all cells].
    """
    rng = np.random.default_rng(seed)
    inputs = np.zeros((batch, blocks.size), dtype=np.float32)
    for number, block in enumerate(blocks.blocks):
        drawn = blocks.firsts[number] + rng.integers(0, len(block.cells), batch)
        inputs[np.arange(batch), drawn] = 1.0
    return inputs


def _newest(evidence: Evidence) -> Clique | None:
    """Return the pair that was measured last, or None if the last measurement is not a pair."""
    last = max(evidence.measurements, key=lambda m: m.step, default=None)
    return last.clique if last is not None and len(last.clique) == 2 else None


def _by_roots(answers: Weighed, evidence: Evidence, newest: Clique | None) -> None:
    """Add all measurements with the weights of the paper: the square root of the privacy cost relative to the
    first round, times d for the newest measurement. All weights are multiplied by D, so that Adam's epsilon
    remains small compared with the gradient. Measurements of more than two columns, which the paper does not
    use, are ignored.
    """
    targets = answers.targets
    requested = [m for m in evidence.measurements if len(m.clique) <= 2]
    first = max((float(m.variance) for m in requested), default=1.0)
    last = max((m.step for m in requested), default=0)
    for m in requested:
        weight = float(targets.firsts[-1]) * math.sqrt(first / float(m.variance))
        weight *= len(targets.domain) if m.clique == newest and m.step == last else 1
        share = onto(targets.coarsening, m).counts / targets.total
        answers.add(targets.domain.axes(m.clique), share, weight)
