"""Networks that can be trained on private gradients, and their common interface.

The private session (`private.queries.training`) treats them all alike: it clips the gradient of each sampled
row, adds up the gradients and adds noise. The trainee defines the network, its loss for one row, and the
public records that are compared with the rows. Its arithmetic is public.
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
    """A network without its trained weights. It is frozen and public.

    Privacy: `slopes` of a row may depend only on the row's codes, the weights and the row's own random
    numbers, and not on any other row in any digit. So computations on several rows at once use `layers`.
    """

    name: ClassVar[str]
    """The name in the list of trainees, and in the facts of queries that train this network."""

    @property
    def sizes(self) -> tuple[int, ...]: ...

    @property
    def base(self) -> Base: ...

    @property
    def is_sound(self) -> bool:
        """Whether the attributes describe a valid network."""
        ...

    @property
    def shapes(self) -> Shapes: ...

    @property
    def parameters(self) -> int:
        """Number of trained weights."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return its attributes as JSON, without `public`."""
        ...

    def public(self) -> bytes:
        """Return its public numbers that are not in `facts`."""
        ...

    @classmethod
    def restored(cls, sizes: tuple[int, ...], facts: Mapping[str, Any], state: bytes) -> tuple[Self, bytes]:
        """Return the network with these facts, its public numbers from the start of these bytes, and the
        remaining bytes.

        Raises: ValueError or KeyError if they belong to another network.
        """
        ...

    def bare(self) -> Self:
        """Return the network without public numbers except the base, as stored for earlier blocks of a
        training.
        """
        ...

    def matrices(self, weights: Floats) -> list[Doubles]:
        """Return the weights of the layers, rounded to their steps."""
        ...

    def slopes(
        self, matrices: Sequence[Doubles], codes: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> tuple[list[Doubles], list[Doubles]]:
        """Return the inputs of every layer, and the gradient of a row's loss with respect to the outputs of
        every layer.

        Shapes: `codes` int64[n, columns]; `chances` float64[2, n, 1 + columns], uniform random numbers
        between 0 and 1 for each row (copies of a row have one of the first kind in each part of the unit
        interval); float64[n, inputs] and float64[n, outputs] for each layer.
        """
        ...

    def against(self, matrices: Sequence[Doubles]) -> tuple[list[Doubles], list[Doubles]] | None:
        """Return the same for the public records in the loss, with their own sign; None if there are none."""
        ...


TRAINEES: dict[str, type[Trainee]] = {kind.name: kind for kind in (Denoiser, Critic)}
"""Networks that can be trained, by their name in queries; a query without a name trains the first."""


def trainee_named(facts: Mapping[str, Any]) -> type[Trainee]:
    """Return the kind of network that a query with these facts trains. Raises: KeyError for an unknown
    name.
    """
    return TRAINEES[facts.get("trainee", Denoiser.name)]
