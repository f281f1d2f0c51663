"""What the parts of the engine cost by themselves: a sweep of the graphical model, a draw of exact noise.

The model is over columns as many and as wide as Adult's, with all one-way tables and pairs in a fixed random
order as long as the junction tree keeps to so many cells. The first sweep of a structure allocates and is not
counted. Noise is drawn for sigmas never used before: the first draw pays for what has to be prepared for
a sigma, the others are what every cell costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from statistics import median

import numpy as np

from synth.core.domain import Domain
from synth.core.graphs.junction import JunctionGraph
from synth.models.pgm.propagation import Propagation
from synth.models.pgm.schedule import Schedule
from synth.private.noise import discrete_gaussian, rounded_gaussian

SIZES = (74, 9, 100, 16, 16, 7, 15, 6, 5, 2, 100, 100, 97, 42)
DOMAIN = Domain(tuple(f"c{i:02d}" for i in range(len(SIZES))), SIZES)

NOISE: dict[str, Callable[[Fraction, int], object]] = {
    "discrete": discrete_gaussian,
    "rounded": rounded_gaussian,
}


def structure(cells: int) -> tuple[JunctionGraph, list[int]]:
    """One-ways and pairs whose junction tree has at most so many cells, and the factors as masks."""
    graph = JunctionGraph.of(DOMAIN, [(name,) for name in DOMAIN.names])
    masks = [1 << i for i in range(len(DOMAIN))]
    pairs = list(combinations(DOMAIN.names, 2))
    for i in np.random.default_rng(0).permutation(len(pairs)):
        if graph.fits(pairs[i], cells):
            graph = graph.joined(pairs[i])
            masks.append(sum(1 << DOMAIN.axis(name) for name in pairs[i]))
    return graph, masks


def sweep(cells: int, *, repeats: int = 7) -> dict[str, float]:
    """`cells` and `factors` as they came out, `plan_seconds` once, `sweep_seconds` the median of repeats."""
    graph, masks = structure(cells)
    start = time.perf_counter()
    plan = Schedule.of(DOMAIN, masks, len(masks))
    propagation = Propagation(plan)
    planning = time.perf_counter() - start
    rng = np.random.default_rng(0)
    width = sum(DOMAIN.size([DOMAIN.names[i] for i in range(len(DOMAIN)) if mask >> i & 1]) for mask in masks)
    factors = 0.3 * rng.standard_normal(width)
    propagation.sweep(factors)
    return {
        "cells": float(graph.cells),
        "factors": float(len(masks)),
        "plan_seconds": planning,
        "sweep_seconds": median(_timed(lambda: propagation.sweep(factors)) for _ in range(repeats)),
    }


def noise(kind: str, sigma: float, *, draws: int = 1_000_000, repeats: int = 5) -> dict[str, float]:
    """`new_sigma_seconds`, the median over sigmas never used, and `draw_nanoseconds` of one draw of many."""
    draw = NOISE[kind]
    fresh = np.random.default_rng()
    variances = [Fraction(sigma * (1 + 1e-3 * fresh.random())) ** 2 for _ in range(repeats)]
    draw(Fraction(7), 1)  # what all sigmas share
    prepared = median(_timed(lambda v=v: draw(v, 1)) for v in variances)  # type: ignore[misc]
    drawing = min(_timed(lambda: draw(variances[0], draws)) for _ in range(3))
    return {"new_sigma_seconds": prepared, "draw_nanoseconds": drawing / draws * 1e9}


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
