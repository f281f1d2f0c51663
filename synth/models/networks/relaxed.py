"""RAP's generator: a table whose rows are distributions, moved until its tables are near the answers.

Source: Aydore, Brown, Kearns, Kenthapadi, Melis, Roth and Siva, Differentially private query release through
adaptive projection, ICML 2021 (RAP); Vietri, Archambeau, Aydore, Brown, Kearns, Roth, Siva, Tang and Wu,
Private synthetic data for multitask learning and marginal queries, NeurIPS 2022 (RAP++), for sparsemax.

A row holds a distribution over the codes of every column, so that the table of two columns is P_a^T P_b over
the number of rows, a polynomial of the rows. Adam moves all rows at once along the squares between these
tables and the noisy ones; after every step each distribution is projected onto the simplex (sparsemax), which
makes most of its shares exactly zero. Rows so found are components of a mixture of products: records are
drawn from them in equal numbers, in each row every code as often as its share. Warm: a fit that is given the
rows of an earlier one goes on from them.

Differs from the papers in: (a) rows begin as independent draws, `BEGIN` of the way from the columns' shares
to a code, where theirs are uniform noise, since unmeasured relations stay as they began; (b) an answer weighs
as its precision; (c) Adam's rate falls along half a cosine in one fit, without outer restarts; (d) the number
of rows goes by the table and not by the secret number of records; (e) noisy counts are not clipped; (f)
columns that structural zeros tie together share one distribution over the cells that are allowed, zeros too
large for that are kept by repairing records; (g) the side of a half-space on which a row lies is that of the
records it stands for (`mixture.half_spaces`), and where some were asked about Adam has one second moment.
Cost: a step is 6 rows D^2 operations, D the number of codes of all columns, and as much again for sorting.
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
from synth.core.system.device import device_told, likely_device
from synth.models.base import Generator, Setting
from synth.models.mixture.embedding import embeddings_of
from synth.models.mixture.half_spaces import sides_told
from synth.models.mixture.mixture import MixtureModel
from synth.models.mixture.mixture_blocks import Blocks
from synth.models.mixture.mixture_fit import Mixture
from synth.models.networks.network import CARD, LEAST_SHARE, OPERATIONS
from synth.models.networks.weighed import Weighed
from synth.models.pulse import Pulse
from synth.models.targets import Targets, targets_of

STATE = "relaxed"
"""The name of what a fit saves: steps made, rows, and Adam's two averages of them."""

BLOCK_CELLS = 2_000
"""Most allowed cells of one distribution: every row has a share of each."""

BEGIN = 0.5
"""Of the way from the shares of a column to one of its codes."""

ROWS, PER_CODE = 1_000, 8
"""Rows of a large table, and the most per code of a small one."""

NEVER = 1e-30
"""Share that stands for zero where logarithms are."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class RelaxedModel(MixtureModel):
    """The mixture that relaxed rows are, and the rows. Shapes: `rows`: float32[rows, cells of all blocks]."""

    rows: Floats


@dataclass(frozen=True, kw_only=True)
class RelaxedRows(Generator):
    """How many rows there are and how they are moved."""

    name: ClassVar[str] = "relaxed"
    title: ClassVar[str] = "Relaxed projection"
    summary: ClassVar[str] = (
        "Rows that may be undecided between values, moved until their tables are near the answers."
    )
    embeds: ClassVar[bool] = True
    halves: ClassVar[bool] = True
    on_device: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ("torch",)

    rows: int = option(
        0,
        label="Rows",
        help="Relaxed rows, made into records in the end; 0 goes by the table.",
        low=0,
        high=10_000,
    )
    steps: int = option(300, label="Steps", help="Of the last fit.", low=1, high=5_000)
    round_steps: int = option(
        30, label="Steps of a round", help="Of a fit between rounds.", low=1, high=5_000
    )
    rate: float = option(30.0, label="Learning rate", help="Of Adam.", low=0.1, high=500, unit="thousandths")
    is_rough: bool = False

    def rough(self) -> RelaxedRows:
        """The fit between two rounds: fewer steps."""
        return replace(self, is_rough=True)

    def fitted(self, evidence: Evidence, how: Setting) -> RelaxedModel:
        """Deterministic on the processor; `seed` gives the rows it begins with.

        ValueError if a column was measured in two different sets of groups, or a group holds codes that a
        zero tells apart, or the zeros leave a column no possible value.
        """
        from synth.models.networks.network_torch import NetworkTask
        from synth.models.networks.relaxed_torch import relax

        targets = targets_of(evidence)
        blocks = Blocks.of(targets.domain, targets.zeros, most=BLOCK_CELLS)
        answers = Weighed(targets, blocks)
        answers.add_by_precision()
        task = NetworkTask(
            **answers.told,
            inputs=self._begin(targets, blocks, how.start, how.seed),
            embeddings=tuple(embeddings_of(evidence, targets, blocks)),
            sides=sides_told(evidence, targets),
        )
        steps = self.round_steps if self.is_rough else self.steps
        pulse = Pulse(STATE, "moving relaxed rows", steps, how.report, how.checkpoint)
        rows = relax(
            task,
            steps=steps,
            rate=self.rate / 1000,
            saved=how.checkpoint.load().get(STATE),
            device=device_told(how.device, how.report),
            told=pulse.told,
        )
        mixture = Mixture(blocks, np.ascontiguousarray(np.log(np.maximum(rows, NEVER)).T))
        return RelaxedModel(mixture=mixture, targets=targets, zeros=evidence.zeros, swaps=False, rows=rows)

    def seconds(self, domain: Domain) -> tuple[float, float]:
        """The steps of one fit, on the processor or on a graphics card."""
        codes, rows = sum(domain.sizes), self.rows or _rows(domain)
        slowest = 12.0 * rows * codes**2 * self.steps / OPERATIONS
        slowest /= 1 if likely_device() == "cpu" else CARD
        return slowest / 3, slowest + 1

    def _begin(self, targets: Targets, blocks: Blocks, start: Model | None, seed: int) -> Floats:
        """The rows of an earlier model of the same form, or independent ones: of every block the columns'
        shares and a cell drawn by them. Shapes: float32[rows, cells of all blocks]."""
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
