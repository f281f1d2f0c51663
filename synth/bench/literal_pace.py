"""How fast the published forms of MargNet and PrivPGD are on this machine, by a few steps of each."""

from __future__ import annotations

import time
from fractions import Fraction
from functools import cache
from itertools import combinations

from synth.bench.literal_particles import Pace, pace
from synth.bench.tables import find, read
from synth.core.codebook import Codebook
from synth.core.evidence import Evidence
from synth.core.measurements.noisy import Measurement
from synth.models.networks.network import NetworkGenerator

STEPS, EPOCHS, ITERATIONS = 4, 1, 2
"""What is timed: steps of the network, epochs of the particles, iterations of the projection of one table."""


@cache
def network_pace(table: str, batch: int) -> float:
    """Processor seconds of one step of the published network on a table: of a few more over a few."""
    found = find(table)
    real = read(found)
    answers = tuple(
        Measurement(clique=(name,), counts=real.counts((name,)), variance=Fraction(1), units=1)
        for name in found.domain.names
    )
    evidence = Evidence(codebook=Codebook.plain(found.domain), answers=answers, total=float(real.rows))

    def seconds(steps: int) -> float:
        before = time.process_time()
        NetworkGenerator(as_published=True, steps=steps, batch=batch).fit(evidence, device="cpu")
        return time.process_time() - before

    seconds(1)
    return (seconds(1 + STEPS) - seconds(1)) / STEPS


@cache
def particle_pace(table: str) -> Pace:
    """What the published particles take on a table, by a few epochs of all its pairs and a few iterations of
    the largest one's projection."""
    real = read(find(table))
    shares = {
        (i, j): real.counts((real.domain.names[i], real.domain.names[j])) / real.rows
        for i, j in combinations(range(len(real.domain)), 2)
    }
    return pace(shares, len(real.domain), epochs=EPOCHS, iterations=ITERATIONS)
