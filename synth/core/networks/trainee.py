"""Networks that can be trained on private gradients, and the interface that each must have.

The private session (`private.queries.training`) does the same for all: it clips the gradient of each sampled
row, adds them up and adds noise. The trainee defines the network, its loss for one row, and the public
records that are compared with the rows; its arithmetic is public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from synth.core.networks.critic import Critic
from synth.core.networks.denoiser import Denoiser
from synth.core.networks.layers import Base, Doubles, Floats, Shapes


class Trainee(Protocol):
    """A network: frozen, public, and without the weights that are trained.

    Privacy: `slopes` of a row may depend on its codes, the weights and its own chances alone, and on no row
    beside it, in no digit: its arithmetic on more than one row is `layers`'.
    """

    name: ClassVar[str]
    """In the list of trainees, and in the facts of questions that name one."""

    @property
    def sizes(self) -> tuple[int, ...]: ...

    @property
    def base(self) -> Base: ...

    @property
    def is_sound(self) -> bool:
        """Whether there is such a network."""
        ...

    @property
    def shapes(self) -> Shapes: ...

    @property
    def parameters(self) -> int:
        """How many weights are trained."""
        ...

    def facts(self) -> dict[str, Any]:
        """What it is, in JSON, but for `public`."""
        ...

    def public(self) -> bytes:
        """The public numbers that it is made of besides."""
        ...

    @classmethod
    def restored(cls, sizes: tuple[int, ...], facts: Mapping[str, Any], state: bytes) -> tuple[Self, bytes]:
        """The one of columns of these sizes that has these facts and the public numbers these bytes begin
        with, and the bytes behind them. ValueError or KeyError if they are another network's."""
        ...

    def bare(self) -> Self:
        """The same without public numbers beside the base: what is kept of a training's earlier blocks."""
        ...

    def matrices(self, weights: Floats) -> list[Doubles]:
        """The weights of the layers, in their steps."""
        ...

    def slopes(
        self, matrices: Sequence[Doubles], codes: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> tuple[list[Doubles], list[Doubles]]:
        """What goes into every layer, and how the loss of a row grows with what each layer puts out.

        Shapes: `codes` int64[n, columns]; `chances` float64[2, n, 1 + columns], even between 0 and 1, a
        row's own: of the first ones, copies of a row have one in each part of the unit interval. float64[n,
        inputs] and float64[n, outputs] for each layer.
        """
        ...

    def against(self, matrices: Sequence[Doubles]) -> tuple[list[Doubles], list[Doubles]] | None:
        """The same of public records that the loss holds against the rows, with its own sign; None if there
        are none."""
        ...


TRAINEES: dict[str, type[Trainee]] = {kind.name: kind for kind in (Denoiser, Critic)}
"""What may be trained, by the name that questions know it by; one that names none trains the first."""


def trainee_named(facts: Mapping[str, Any]) -> type[Trainee]:
    """Return the kind of network that a query with these facts trains. KeyError for an unknown name."""
    return TRAINEES[facts.get("trainee", Denoiser.name)]
