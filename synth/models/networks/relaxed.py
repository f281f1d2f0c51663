"""RAP's generator: a table whose rows are distributions, optimised until its marginals are close to the
measurements.

Sources: Aydore, Brown, Kearns, Kenthapadi, Melis, Roth and Siva, Differentially private query release through
adaptive projection, ICML 2021 (RAP); Vietri, Archambeau, Aydore, Brown, Kearns, Roth, Siva, Tang and Wu,
Private synthetic data for multitask learning and marginal queries, NeurIPS 2022 (RAP++), for sparsemax.

A row contains a distribution over the codes of every column. The table of two columns is P_a^T P_b divided by
the number of rows, which is a polynomial in the rows. Adam changes all rows at once to reduce the squared
differences between these tables and the noisy tables. After every step, each distribution is projected onto
the simplex (sparsemax), which makes most of its shares exactly zero. The resulting rows are the components of
a mixture of products: each row generates the same number of records, with every code in proportion to its
share. Warm start: a fit that gets the rows of an earlier fit continues from them.

Differences from the papers:

- Rows start as independent draws, moved from the columns' shares towards a code by the fraction `BEGIN`,
  instead of uniform noise, because unmeasured relations keep their initial values.
- The weight of a measurement is its precision.
- Adam's rate decreases along half a cosine in one fit, without outer restarts.
- The number of rows depends on the table's domain instead of the secret number of records.
- Noisy counts are not clipped.
- Columns of a common structural zero share one distribution over the allowed cells. Zeros that are too large
  for this are enforced by repairing records.
- The half-space side of a row is computed from the records that the row generates (`mixture.half_spaces`). If
  half-spaces were measured, Adam uses one common second moment.

Cost: a step takes 6 rows D^2 operations, where D is the number of codes of all columns, and the same number
again for sorting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.options import option
from synth.core.system.device import device_in_words, likely_device
from synth.models.base import Generator, Setting
from synth.models.mixture.embedding import embeddings_of
from synth.models.mixture.half_spaces import sides_of
from synth.models.mixture.mixture import MixtureModel
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.mixture.mixture_fit import Mixture
from synth.models.networks.network import CARD, LEAST_SHARE, OPERATIONS
from synth.models.networks.weighed import Weighed
from synth.models.pulse import Pulse
from synth.models.targets import Targets, targets_of

BEGIN = 0.5
"""Fraction by which an initial row is moved from the shares of a column to one of its codes."""

ROWS, PER_CODE = 1_000, 8
"""Number of rows of a large table, and maximum number of rows per code of a small table."""

NEVER = 1e-30
"""Value that replaces a share of zero in logarithms."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class RelaxedModel(MixtureModel):
    """The mixture of the relaxed rows, and the rows. Shapes: `rows`: float32[rows, cells of all blocks]."""

    rows: Floats


@dataclass(frozen=True, kw_only=True)
class RelaxedRows(Generator):
    """Options of relaxed rows: the number of rows and the options of the optimisation."""

    name: ClassVar[str] = "relaxed"
    title: ClassVar[str] = "Relaxed projection"
    summary: ClassVar[str] = (
        "Rows with fractional values, moved until their tables are near the measurements."
    )
    embeds: ClassVar[bool] = True
    halves: ClassVar[bool] = True
    on_device: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("torch",)

    rows: int = option(
        0,
        label="Rows",
        help="Number of relaxed rows, which become records at the end. 0 computes it from the table.",
        low=0,
        high=10_000,
    )
    steps: int = option(300, label="Steps", help="Number of steps of the last fit.", low=1, high=5_000)
    round_steps: int = option(
        30, label="Steps between rounds", help="Number of steps of a fit between rounds.", low=1, high=5_000
    )
    rate: float = option(
        30.0, label="Learning rate", help="Learning rate of Adam.", low=0.1, high=500, unit="thousandths"
    )
    is_rough: bool = False

    def rough(self) -> RelaxedRows:
        """Return the options of a fit between two rounds, with fewer steps."""
        return replace(self, is_rough=True)

    def fitted(self, evidence: Evidence, how: Setting) -> RelaxedModel:
        """Fit the rows. Deterministic on the CPU. `seed` determines the initial rows.

        Raises: ValueError if a column was measured in two different sets of groups, if a group contains codes
        that a zero treats differently, or if the zeros leave a column no possible value.
        """
        from synth.models.networks.network_torch import NetworkTask
        from synth.models.networks.relaxed_torch import relax

        targets = targets_of(evidence)
        blocks = Blocks.of(targets.domain, targets.zeros)
        answers = Weighed(targets, blocks)
        answers.add_by_precision()
        task = NetworkTask(
            **answers.task_fields,
            inputs=self._begin(targets, blocks, how.start, how.seed),
            embeddings=tuple(embeddings_of(evidence, targets, blocks)),
            sides=sides_of(evidence, targets),
        )
        steps = self.round_steps if self.is_rough else self.steps
        pulse = Pulse("moving relaxed rows", steps, how.report)
        rows = relax(
            task,
            steps=steps,
            rate=self.rate / 1000,
            device=device_in_words(how.device, how.report),
            on_step=pulse.on_step,
        )
        mixture = Mixture(blocks, np.ascontiguousarray(np.log(np.maximum(rows, NEVER)).T))
        return RelaxedModel(mixture=mixture, targets=targets, zeros=evidence.zeros, swaps=False, rows=rows)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """Return the estimated time of the steps of one fit, on the CPU or on a graphics card."""
        codes, rows = sum(domain.sizes), self.rows or _rows(domain)
        slowest = 12.0 * rows * codes**2 * self.steps / OPERATIONS
        slowest /= 1 if likely_device() == "cpu" else CARD
        return slowest / 3, slowest + 1

    def _begin(self, targets: Targets, blocks: Blocks, start: Model | None, seed: int) -> Floats:
        """Return the rows of an earlier model of the same shape. Without such a model, return independent
        rows, which are a mixture of the columns' shares and a cell drawn from them in each block. Shapes:
        float32[rows, cells of all blocks].
        """
        wanted = self.rows or _rows(targets.domain)
        if isinstance(start, RelaxedModel) and start.rows.shape == (wanted, blocks.size):
            return start.rows
        rng, rows = np.random.default_rng(seed), np.zeros((wanted, blocks.size), dtype=np.float32)
        logs = blocks.cells(np.log(np.maximum(targets.shares, LEAST_SHARE)))
        for number in range(len(blocks.blocks)):
            span = blocks.span(number)
            shares = np.exp(logs[span] - logs[span].max())
            shares /= shares.sum()
            ends = np.cumsum(shares)
            drawn = np.searchsorted(ends, (rng.permutation(wanted) + rng.random()) / wanted * ends[-1])
            rows[:, span] = (1 - BEGIN) * shares
            rows[np.arange(wanted), span.start + np.minimum(drawn, len(shares) - 1)] += BEGIN
        return rows


def _rows(domain: Domain) -> int:
    return min(ROWS, PER_CODE * sum(domain.sizes))
