"""List the networks that can be trained on private gradients, and define their common interface.

The private session (`private.queries.training`) treats all networks in the same way: it clips the gradient of
each sampled row, sums the gradients and adds noise. The trainee defines the network, the loss of a row, and
the public records that are compared with the rows. Its arithmetic is public.
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

    Privacy: the `slopes` of a row may depend only on the codes of the row, the weights and the random numbers
    for the row. No digit may depend on another row. So computations on several rows at once use `layers`.
    """

    name: ClassVar[str]
    """The name of the network in the list of trainees and in the facts of queries that train it."""

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
        """Return the number of trained weights."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return the attributes of the network as JSON, without `public`."""
        ...

    def public(self) -> bytes:
        """Return the public numbers of the network that are not in `facts`."""
        ...

    @classmethod
    def restored(cls, sizes: tuple[int, ...], facts: Mapping[str, Any], state: bytes) -> tuple[Self, bytes]:
        """Return the network with these facts, and the bytes that remain.

        Its public numbers are read from the start of `state`.

        Raises: ValueError or KeyError if they belong to another network.
        """
        ...

    def bare(self) -> Self:
        """Return the network without public numbers except the base.

        This form is stored for earlier blocks of a training.
        """
        ...

    def matrices(self, weights: Floats) -> list[Doubles]:
        """Return the weights of the layers, rounded to their steps."""
        ...

    def slopes(
        self, matrices: Sequence[Doubles], codes: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> tuple[list[Doubles], list[Doubles]]:
        """Return the inputs of each layer, and the gradient of the loss of each row with respect to its
        outputs.

        Shapes: `codes` int64[n, columns]; `chances` float64[2, n, 1 + columns], uniform random numbers
        between 0 and 1 for each row (the numbers of the first kind are stratified over the copies of a row);
        float64[n, inputs] and float64[n, outputs] for each layer.
        """
        ...

    def against(self, matrices: Sequence[Doubles]) -> tuple[list[Doubles], list[Doubles]] | None:
        """Return the same for the public records in the loss, with the sign of their term, or None without
        them.
        """
        ...


TRAINEES: dict[str, type[Trainee]] = {kind.name: kind for kind in (Denoiser, Critic)}
"""Networks that can be trained, by name. A query without a name trains the first network."""


def trainee_named(facts: Mapping[str, Any]) -> type[Trainee]:
    """Return the kind of network that a query with these facts trains. Raises: KeyError for an unknown
    name.
    """
    return TRAINEES[facts.get("trainee", Denoiser.name)]
