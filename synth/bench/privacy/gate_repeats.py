"""Noise that was drawn before: it is known to anyone who knows the first of its draws, and protects nothing.

Noise over its scale is compared number by number, that of integers up to their rounding; with its sign turned
around it is the same noise. A draw is compared with itself in other runs, which have other seeds, and with
the other draws of its run, as far as the shorter of both goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from synth.bench.privacy.gate_transcript import FALSE_ALARM, Draw, Transcript, step_of

SAME = 1e-9
"""How far noise over its scale may be from the same one, after sums in floats."""

Pair = tuple[Draw, Draw]


def repeats(runs: Sequence[Transcript]) -> Iterator[str]:
    """A sentence on the first draw that is the same in all runs, and one on the first two that are in each.

    All comparisons share `FALSE_ALARM`, so that small integer noise which happens to be the same is not
    stated.
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
    """Whether all pairs that have noise have the same, where chance would do that with less than `alarm`."""
    noisy = [(a, b) for a, b in pairs if _has_noise(a) and _has_noise(b)]
    return all(_is_same(*pair, step) for pair in noisy) and _chance(noisy, step) < alarm


def _has_noise(draw: Draw) -> bool:
    return draw.is_known and bool(draw.noise.any())


def _is_same(a: Draw, b: Draw, step: float) -> bool:
    size, reach = min(a.told.size, b.told.size), _reach(a, b, step)
    here, there = a.noise[:size] / a.scale, b.noise[:size] / b.scale
    return bool((np.abs(here - there) < reach).all() or (np.abs(here + there) < reach).all())


def _reach(a: Draw, b: Draw, step: float) -> float:
    """How far apart two numbers of noise over their scales may be that were one before rounding."""
    return SAME + step / 2 * (1 / a.scale + 1 / b.scale)


def _chance(pairs: Sequence[Pair], step: float) -> float:
    """At most how often independent noise is this near, with either sign: noise has a density below half."""
    near = [2 * min(1.0, 2 * _reach(a, b, step)) ** min(a.told.size, b.told.size) for a, b in pairs]
    return float(np.prod(near))
