"""What noisy sides of half-spaces say of a mixture of products, without drawing a record.

A component draws every column by itself, so the sum that decides on which side of a plane a record lies is
one of independent numbers: its mean and its variance follow from the component's shares, and by the normal
law with these two the record lies above with probability Phi((mean - threshold) / deviation). That is
differentiable where the side of a record is not, and exact for components that are decided. RAP++ has a
sigmoid of the relaxed record's own sum there, with a slope that is doubled again and again; here the variance
of undecided columns smooths the step, and besides a `softness` that falls as the fit goes on.
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
"""The kind of question (`private.queries`) that is answered by them."""

LEAST_SOFTNESS = 0.05
"""In standard deviations of a half-space's sum: as good as a step."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Planes:
    """Half-spaces in the numbering of all codes, D of them (`Targets.firsts`), each in standard deviations of
    its sum over independent columns.

    Shapes: `weights`, `squares`: float32[D, K], the mean of what each code adds and of its square, as a
    coarse code stands for several; `thresholds`: float32[K]; `columns`: the codes of each column of the sums;
    `label`: those of the label, None without one.
    """

    weights: Floats
    squares: Floats
    thresholds: Floats
    columns: tuple[slice, ...]
    label: slice | None

    @classmethod
    def of(cls, spaces: HalfSpaces, targets: Targets, groups: dict[str, Sequence[int]]) -> Planes:
        """`groups` are those the half-spaces are in the codes of."""
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
        """The mean over components of the share of records above less that of the others. Shapes: `codes`
        [D, components], each column of a component a distribution; float64[label's codes or 1, K]."""
        turned = codes.T.astype(np.float64)
        variance = turned @ self.squares + LEAST_SOFTNESS**2
        for span in self.columns:
            variance -= np.square(turned[:, span] @ self.weights[span])
        centre = turned @ self.weights - self.thresholds
        sides = 2 * ndtr(centre / np.sqrt(np.maximum(variance, LEAST_SOFTNESS**2))) - 1
        parts = np.ones((1, len(turned))) if self.label is None else turned[:, self.label].T
        return np.asarray(parts @ sides / len(turned))


@dataclass(frozen=True, eq=False, kw_only=True)
class ToldSides:
    """What noisy measurements imply for the sides of some planes. Shapes: `means`, `weights`:
    float32[label's codes or 1, K], per record; the weight is that of `Weighed`."""

    planes: Planes
    means: Floats
    weights: Floats

    @classmethod
    def of(cls, answer: NoisyNumbers, targets: Targets) -> ToldSides:
        """What an answer to `private.queries.Sides` says."""
        planes = Planes.of(HalfSpaces.of(answer.asked), targets, dict(answer.asked.get("groups", {})))
        return cls(
            planes=planes,
            means=(answer.numbers / targets.total).astype(np.float32),
            weights=np.full(answer.values.shape, targets.total / answer.sigma**2, dtype=np.float32),
        )


def sides_told(evidence: Evidence, targets: Targets) -> tuple[ToldSides, ...]:
    """All sides among the answers, those with the same label side by side."""
    told = [ToldSides.of(a, targets) for a in evidence.numbers if a.asked.get("ask") == SIDES]
    alike: dict[tuple[str, str], list[ToldSides]] = {}
    for one in told:
        alike.setdefault((repr(one.planes.label), repr(one.planes.columns)), []).append(one)
    return tuple(_joined(several) for several in alike.values())


def expected_sides(model: MixtureModel, spaces: HalfSpaces) -> NDArray[np.float64]:
    """How many records of a model lie above each half-space, in the domain's own codes, less how many do not;
    columns that zeros tie together count as independent within a component.

    Shapes: float64[label's codes or 1, half-spaces].
    """
    planes = Planes.of(spaces, model.targets, {})
    return model.total * planes.sides(model.mixture.codes)


def _joined(several: Sequence[ToldSides]) -> ToldSides:
    first = several[0].planes
    planes = Planes(
        weights=np.concatenate([one.planes.weights for one in several], axis=1),
        squares=np.concatenate([one.planes.squares for one in several], axis=1),
        thresholds=np.concatenate([one.planes.thresholds for one in several]),
        columns=first.columns,
        label=first.label,
    )
    return ToldSides(
        planes=planes,
        means=np.concatenate([one.means for one in several], axis=1),
        weights=np.concatenate([one.weights for one in several], axis=1),
    )
