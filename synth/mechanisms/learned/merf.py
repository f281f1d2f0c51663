"""DP-MERF: one noisy mean embedding by random Fourier features, and a network whose records have it.

Harder, Adamczewski, Park, DP-MERF: Differentially Private Mean Embeddings with Random Features for Practical
Privacy-Preserving Data Generation, AISTATS 2021.

Pseudo-code (the numbers stand again in `run`)
  1. the part `columns_share` of rho measures every column; with a label, every column with the label
  2. draw F random frequencies
  3. ask, with the rest of rho, for the sums of the F random Fourier features over all records; with a label,
     over those of every code of it
  4. teach a network whose mean embedding and tables are near these answers

A feature is (cos, sin) of the sum of frequency times code over its columns: of a column in order with normal
frequencies, which makes the mean embedding that of a Gaussian kernel of width `bandwidth` (in parts of the
column's length); of any other with even ones, which makes it that of the kernel that tells only whether two
codes are the same.

Differs from the paper in, because it has to: (a) the bandwidth is public; the authors' code takes the median
distance of ten private records; (b) sums of features are asked, with sensitivity sqrt(F) per record, not
means over the secret number of records; (c) features are rounded to a lattice and get exact integer noise;
(d) frequencies are drawn by the run's own generator, and noise never is, where the code has one fixed seed
for both; (e) neither bounds nor values are taken from the table. By choice: (f) a feature has `order` columns
drawn at random, 2 by default, and columns without an order among them; the paper's has all columns in order
(`order` 0 is nearest to it) and leaves pairs of the others out, so that it knows relations with the label
alone; (g) the one-hot half of the embedding is line 1: every column's table has a price of its own, by size,
and is a measurement as anybody's; (h) the network puts out distributions, whose embedding is known exactly,
where the paper draws a batch of records at every step (`networks.network`, `mixture.embedding`); its loss
weighs every answer by its precision.
Privacy: d `measure` and one `embedding`, whose docstring has the sensitivity; what is asked follows from
public sizes.
Cost: one pass over the records, some F operations for each of them, and one fit. Adult at epsilon 1 39 s of
one core's time and 608 MB (three runs: pair TVD 0.044 to 0.046).
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
"""Steps of a full turn, in which frequencies are counted (`private.queries.embedding`)."""


WAVE = 200
"""What one column of a wave takes of a step of the fit, in cells of a pair; measured on Adult."""


@dataclass(frozen=True, kw_only=True)
class MERF(TimedByGenerator):
    """Hyper-parameters of the embedding; those of the network are its own."""

    name: ClassVar[str] = "merf"
    title: ClassVar[str] = "DP-MERF"
    purpose: ClassVar[Purpose] = Purpose.FITTED
    summary: ClassVar[str] = (
        "Measures every column, asks once for sums of random waves over all records, and teaches a network "
        "to have the same."
    )
    paper: ClassVar[str] = (
        "Harder, Adamczewski, Park, DP-MERF: Differentially Private Mean Embeddings with Random Features for "
        "Practical Privacy-Preserving Data Generation, AISTATS 2021"
    )
    suits: ClassVar[str] = (
        "Comparisons with the literature, and numbers or ordered categories that vary smoothly together."
    )
    avoid: ClassVar[str] = (
        "Where relations between two columns are what matters: waves tell them only in part."
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
        help="A column of few values, for each of which everything else is asked by itself.",
        is_column=True,
    )
    frequencies: int = option(
        2000, label="Waves", help="Random waves that are summed over all records.", low=1, high=10_000
    )
    order: int = option(
        2,
        label="Columns per wave",
        help="Columns that a wave goes through together; 0 means all, as in the paper.",
        low=0,
        high=100,
    )
    bandwidth: float = option(
        0.05,
        label="Bandwidth",
        help="How far apart values of a column in order still count as near, in parts of its length.",
        low=0.001,
        high=10,
    )

    def first_pass(self, prospect: Prospect) -> float | None:
        return self.columns_share if len(prospect.sizes) > 1 else 1.0

    def outlook_by(self, generator: Generator, domain: Domain, *, k: int) -> Outlook | None:
        """One fit, every step of which goes through all waves as well."""
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
        problem.tell("fit", 1.0, "teaching the network")
        return answers.fitted()  # line 4

    def _frequencies(
        self, domain: Domain, problem: Problem, rng: np.random.Generator
    ) -> tuple[tuple[int, ...], ...]:
        """Of every frequency the steps per code of each column, 0 where it does not go through it."""
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
