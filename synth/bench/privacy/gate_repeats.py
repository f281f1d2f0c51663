"""Find noise that was drawn before. Anyone who knows the first draw knows the second, so it protects no one.

Noise divided by its scale is compared number by number, integers up to their rounding, and with both signs. A
draw is compared with itself in other runs, which have other seeds, and with the other draws of its run, up to
the length of the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from synth.bench.privacy.gate_transcript import FALSE_ALARM, Draw, Transcript, step_of

SAME = 1e-9
"""Largest difference of equal noise divided by its scale, after sums in floats."""

Pair = tuple[Draw, Draw]


def repeats(runs: Sequence[Transcript]) -> Iterator[str]:
    """Return a sentence on the first draw that is equal in all runs, and one on the first two equal draws of
    each run.

    All comparisons share `FALSE_ALARM`, so that small integer noise that is equal by chance is not reported.
    """
    draws = [run.draws for run in runs]
    step = step_of([draw for run in draws for draw in run if draw.is_known])
    places = range(min(map(len, draws), default=0))
    alarm = FALSE_ALARM / max(1, len(places) * (len(places) + 1) // 2)
    for place in places:
        if _are_same([(a[place], b[place]) for a, b in pairwise(draws)], step, alarm):
            yield f"The noise of draw {place + 1} is the same in all {len(runs)} runs."
            break
    for first, later in combinations(places, 2):
        if _are_same([(run[first], run[later]) for run in draws], step, alarm):
            yield f"The noise of draw {later + 1} is that of draw {first + 1} once more, up to its scale."
            break


def _are_same(pairs: Sequence[Pair], step: float, alarm: float) -> bool:
    """Whether all pairs with noise have equal noise, if chance would cause this with a probability below
    `alarm`.
    """
    noisy = [(a, b) for a, b in pairs if _has_noise(a) and _has_noise(b)]
    return all(_is_same(*pair, step) for pair in noisy) and _chance(noisy, step) < alarm


def _has_noise(draw: Draw) -> bool:
    return draw.is_known and bool(draw.noise.any())


def _is_same(a: Draw, b: Draw, step: float) -> bool:
    size, reach = min(a.told.size, b.told.size), _reach(a, b, step)
    here, there = a.noise[:size] / a.scale, b.noise[:size] / b.scale
    return bool((np.abs(here - there) < reach).all() or (np.abs(here + there) < reach).all())


def _reach(a: Draw, b: Draw, step: float) -> float:
    """Return how far apart two equal numbers of noise can be after rounding, divided by their scales."""
    return SAME + step / 2 * (1 / a.scale + 1 / b.scale)


def _chance(pairs: Sequence[Pair], step: float) -> float:
    """Return the largest probability that independent noise is this close, with either sign: the density of
    noise is below one half.
    """
    near = [2 * min(1.0, 2 * _reach(a, b, step)) ** min(a.told.size, b.told.size) for a, b in pairs]
    return float(np.prod(near))
