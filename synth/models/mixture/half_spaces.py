"""Expected half-space measurements of a mixture of products, computed without drawing records.

A component draws its columns independently. The sum that determines the side of a record is therefore a sum
of independent terms, whose mean and variance follow from the component's shares. If the sum is approximated
by a normal variable, the record is above the plane with probability Phi((mean - threshold) / deviation).
Unlike the side of a record, this probability is differentiable, and it is exact for components in which every
column has one code. RAP++ uses a sigmoid of the relaxed record's sum, with a slope that is doubled
repeatedly. Here, the variance of the columns smooths the step, together with a `softness` that decreases
during the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from synth.core.evidence import Evidence
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.measurements.noisy import NoisyNumbers
from synth.models.mixture.mixture import MixtureModel
from synth.models.targets import Targets

SIDES = "sides"
"""Name of the query that measures half-spaces (`private.queries`)."""

LEAST_SOFTNESS = 0.05
"""Minimum softness, in standard deviations of a half-space's sum. With it, the probability is nearly a step
function.
"""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Planes:
    """Half-spaces over all D codes, numbered as in `Targets.firsts`. Each half-space is scaled by the
    standard deviation of its sum over independent columns.

    Shapes: `weights`, `squares`: float32[D, K], the mean contribution of each code and the mean of its
    square, because a merged code contains several codes. `thresholds`: float32[K]. `columns`: the codes of
    each summed column. `label`: the codes of the label, or None without a label.
    """

    weights: Floats
    squares: Floats
    thresholds: Floats
    columns: tuple[slice, ...]
    label: slice | None

    @classmethod
    def of(cls, spaces: HalfSpaces, targets: Targets, groups: dict[str, Sequence[int]]) -> Planes:
        """Convert half-spaces. `groups` are the groups of codes that the half-spaces use."""
        coarsening, domain = targets.coarsening, targets.domain
        sizes = [coarsening.domain.size([name]) for name in spaces.clique]
        group_of = [np.asarray(groups.get(n, range(s))) for n, s in zip(spaces.clique, sizes, strict=True)]
        added = spaces.weights([int(group.max()) + 1 for group in group_of])
        weights, squares = (np.zeros((int(targets.firsts[-1]), len(spaces))) for _ in range(2))
        spans = []
        for position, own in zip(spaces.summed, added, strict=True):
            name = spaces.clique[position]
            axis, fine = domain.axis(name), own[group_of[position]].astype(np.float64)
            shares = np.stack([coarsening.spread(row, (name,)) for row in np.eye(domain.sizes[axis])])
            spans.append(targets.span(axis))
            weights[spans[-1]], squares[spans[-1]] = shares @ fine, shares @ fine**2
        means = [targets.shares[span] @ weights[span] for span in spans]
        variance = targets.shares @ squares - np.square(means).sum(axis=0)
        scale = np.sqrt(np.maximum(variance, 1.0))
        return cls(
            weights=(weights / scale).astype(np.float32),
            squares=(squares / scale**2).astype(np.float32),
            thresholds=((np.array(spaces.thresholds) + 0.5) / scale).astype(np.float32),
            columns=tuple(spans),
            label=targets.span(domain.axis(spaces.label)) if spaces.label else None,
        )

    def sides(self, codes: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the share of the records above each plane minus the share of the others, averaged over
        components. Shapes: `codes` [D, components], in which each column of a component is a distribution;
        float64[label's codes or 1, K].
        """
        turned = codes.T.astype(np.float64)
        variance = turned @ self.squares + LEAST_SOFTNESS**2
        for span in self.columns:
            variance -= np.square(turned[:, span] @ self.weights[span])
        centre = turned @ self.weights - self.thresholds
        sides = 2 * ndtr(centre / np.sqrt(np.maximum(variance, LEAST_SOFTNESS**2))) - 1
        parts = np.ones((1, len(turned))) if self.label is None else turned[:, self.label].T
        return np.asarray(parts @ sides / len(turned))


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredSides:
    """Noisy measurements of half-spaces. Shapes: `means`, `weights`: float32[label's codes or 1, K], per
    record. The weight is as in `Weighed`.
    """

    planes: Planes
    means: Floats
    weights: Floats

    @classmethod
    def of(cls, answer: NoisyNumbers, targets: Targets) -> MeasuredSides:
        """Convert a measurement of `private.queries.Sides`."""
        planes = Planes.of(HalfSpaces.of(answer.requested), targets, dict(answer.requested.get("groups", {})))
        return cls(
            planes=planes,
            means=(answer.numbers / targets.total).astype(np.float32),
            weights=np.full(answer.values.shape, targets.total / answer.sigma**2, dtype=np.float32),
        )


def sides_of(evidence: Evidence, targets: Targets) -> tuple[MeasuredSides, ...]:
    """Return all half-space measurements, after combining those with the same label."""
    measured_sides = [
        MeasuredSides.of(a, targets) for a in evidence.numbers if a.requested.get("ask") == SIDES
    ]
    alike: dict[tuple[str, str], list[MeasuredSides]] = {}
    for one in measured_sides:
        alike.setdefault((repr(one.planes.label), repr(one.planes.columns)), []).append(one)
    return tuple(_joined(several) for several in alike.values())


def expected_sides(model: MixtureModel, spaces: HalfSpaces) -> NDArray[np.float64]:
    """Return the number of records of a model above each half-space minus the number of the others, in the
    domain's own codes. Columns of a common structural zero are treated as independent within a component.

    Shapes: float64[label's codes or 1, half-spaces].
    """
    planes = Planes.of(spaces, model.targets, {})
    return model.total * planes.sides(model.mixture.codes)


def _joined(several: Sequence[MeasuredSides]) -> MeasuredSides:
    first = several[0].planes
    planes = Planes(
        weights=np.concatenate([one.planes.weights for one in several], axis=1),
        squares=np.concatenate([one.planes.squares for one in several], axis=1),
        thresholds=np.concatenate([one.planes.thresholds for one in several]),
        columns=first.columns,
        label=first.label,
    )
    return MeasuredSides(
        planes=planes,
        means=np.concatenate([one.means for one in several], axis=1),
        weights=np.concatenate([one.weights for one in several], axis=1),
    )
