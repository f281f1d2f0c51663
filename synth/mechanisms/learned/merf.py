"""DP-MERF: measure one mean embedding by random Fourier features, and fit a network to it.

Source: Harder, Adamczewski, Park, DP-MERF: Differentially Private Mean Embeddings with Random Features for
Practical Privacy-Preserving Data Generation, AISTATS 2021.

Pseudo-code (comments in `run` use the same numbers)
  1. Measure every column with the share `columns_share` of rho. If there is a label, measure every column
     together with the label.
  2. Draw F random frequencies.
  3. Measure the sums of the F random Fourier features over all records with the remaining budget. If there is
     a label, measure separate sums for the records of each label value.
  4. Train a network whose mean embedding and tables are near these measurements.

A feature is (cos, sin) of the sum of frequency times code over its columns. The frequencies of an ordered
column are normally distributed, so that the mean embedding is that of a Gaussian kernel of width `bandwidth`
(as a share of the column's length). The frequencies of any other column are uniformly distributed, so that
its kernel only distinguishes equal codes from different codes.

Necessary differences from the paper:

- The bandwidth is public, whereas the authors' code takes the median distance of ten private records.
- Sums of features are measured, with sensitivity sqrt(F) per record. The paper measures means over the secret
  number of records.
- Features are rounded to a lattice and get exact integer noise.
- The run's own random number generator draws the frequencies but never the noise, whereas the code has one
  fixed seed for both.
- Neither bounds nor values are taken from the table.

Other differences:

- A feature has `order` columns drawn at random, 2 by default, which can include unordered columns. In the
  paper, a feature has all ordered columns (`order` 0 is the closest setting) and no pairs of other columns,
  so that these columns are related only to the label.
- Line 1 replaces the one-hot half of the embedding: the table of every column has a separate privacy cost,
  which depends on its size, and is an ordinary measurement.
- The network returns distributions, whose embedding is computed exactly (`networks.network`,
  `mixture.embedding`). The paper draws a batch of records at every step. The loss weights every measurement
  by its precision.

Privacy: d `measure` queries and one `embedding` query, whose docstring states the sensitivity. The queries
depend only on public sizes. Cost: one pass over the records with about F operations for each of them, and one
fit. Adult at epsilon 1 takes 39 s on one core and 608 MB (three runs: pair TVD 0.044 to 0.046).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.core.domain import Domain
from synth.core.numbers import number_of
from synth.core.options import option
from synth.mechanisms.selection.allocation import shares
from synth.mechanisms.shared.answers import Answers
from synth.mechanisms.shared.base import Fitted, Outlook, Problem, Prospect, Purpose, TimedByGenerator
from synth.mechanisms.shared.shared_options import columns_share
from synth.models.base import Generator
from synth.models.networks.network import NetworkGenerator
from synth.private.queries import Embedding
from synth.private.source import Source

TURN = 1 << 16
"""Number of steps in a full turn, the unit of frequencies (`private.queries.embedding`)."""


WAVE = 200
"""Time that one column of a wave adds to a step of the fit, in units of the time for a cell of a pair,
measured on Adult.
"""


@dataclass(frozen=True, kw_only=True)
class MERF(TimedByGenerator):
    """Hyper-parameters of the embedding. The hyper-parameters of the network are separate."""

    name: ClassVar[str] = "merf"
    title: ClassVar[str] = "DP-MERF"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Measures every column and one noisy mean of random Fourier features, and trains a network to "
        "reproduce them."
    )
    paper: ClassVar[str] = (
        "Harder, Adamczewski, Park, DP-MERF: Differentially Private Mean Embeddings with Random Features for "
        "Practical Privacy-Preserving Data Generation, AISTATS 2021"
    )
    suits: ClassVar[str] = (
        "Comparisons with published results, and ordered columns that vary smoothly together."
    )
    avoid: ClassVar[str] = (
        "When relations between two columns matter. Random features contain only part of them."
    )
    device: ClassVar[str] = "graphics card, or CPU"
    generator: ClassVar[str] = "network"
    chooses: ClassVar[bool] = False
    pairs_per_column: ClassVar[float] = 0.0
    joins: ClassVar[bool] = False
    embeds: ClassVar[bool] = True

    columns_share: float = columns_share(0.1, high=0.9)
    label: str = option(
        "",
        label="Label",
        help="A column with few values. All other measurements are made for each of its values.",
        is_column=True,
    )
    frequencies: int = option(
        2000, label="Random features", help="Number of random features.", low=1, high=10_000
    )
    order: int = option(
        2,
        label="Columns per feature",
        help="Number of columns in one random feature. 0 means all columns, as in the paper.",
        low=0,
        high=100,
    )
    bandwidth: float = option(
        0.05,
        label="Bandwidth",
        help="Distance at which values of an ordered column count as similar, as a share of its length.",
        low=0.001,
        high=10,
    )

    @property
    def measures_columns(self) -> bool:
        return not self.label

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share if len(prospect.sizes) > 1 else 1.0

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """Return the time of one fit, in which every step also computes all waves."""
        fit, cells = generator.seconds(domain), sum(domain.sizes) ** 2
        if fit is None:
            return None
        size = NetworkGenerator().parameters(domain) if generator.name == self.generator else cells
        waves = WAVE * self.frequencies * min(self.order or len(domain), len(domain))
        longer = 1 + waves / max(size + cells, 1)
        return Outlook.of((longer * fit[0], longer * fit[1]), cells=size + waves)

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        domain, budget, answers = source.domain, source.left.rho, Answers(self, source, problem)
        embedded = [name for name in domain.names if name != self.label]
        tables = [domain.clique({name, self.label} - {""}) for name in embedded] or [domain.names]
        has_more = len(embedded) > 1
        priced = shares(domain, dict.fromkeys(tables, 1.0))
        answers.measure_all(priced, rho=self.columns_share * budget if has_more else budget)  # line 1
        if has_more:
            frequencies = self._frequencies(domain, problem, rng)  # line 2
            problem.tell("measure", 0.1, f"summing {number_of(self.frequencies, 'wave')}")
            embedding = Embedding(domain.names, frequencies, self.label)
            answers.numbers(embedding, rho=source.left.rho)  # line 3
        problem.tell("fit", 1.0, "training the network")
        return answers.fitted()  # line 4

    def _frequencies(
        self, domain: Domain, problem: Problem, rng: np.random.Generator
    ) -> tuple[tuple[int, ...], ...]:
        """Return the number of steps per code for each column and frequency. It is 0 for columns that a
        frequency does not use.
        """
        through = np.array([i for i, name in enumerate(domain.names) if name != self.label])
        order = min(self.order or len(through), len(through))
        columns = rng.permuted(np.tile(through, (self.frequencies, 1)), axis=1)[:, :order]
        even = rng.integers(1, TURN, (self.frequencies, len(domain)))
        lengths = self.bandwidth * np.array(domain.sizes)
        normal = np.rint(rng.standard_normal(even.shape) * (TURN / (2 * math.pi)) / lengths).astype(np.int64)
        is_ordered = np.array([problem.ordered.get(name, 0) > 2 for name in domain.names])
        steps = np.zeros_like(even)
        drawn = np.where(is_ordered, normal, even) % TURN
        np.put_along_axis(steps, columns, np.take_along_axis(drawn, columns, axis=1), axis=1)
        return tuple(tuple(row) for row in steps.tolist())
