"""The wall, seen from outside: the priced questions a mechanism may ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from synth.answers import Choice, Measurement, NoisyScores
from synth.axis import Grouping
from synth.domain import Clique, Domain
from synth.measure.score import Score


class Source(Protocol):
    """Three questions, each with a price; a question is charged before a row is looked at. Marginals whose
    prices follow from no answer among them are asked together: `measure_all`.

    Implemented by `measure.room.PrivateSource` (the real one), `measure.replay.Replay` (answers from a
    transcript, for free) and `measure.exact.Exact` (no noise; tests and public data only).
    """

    @property
    def domain(self) -> Domain:
        """Names and sizes of the codes (after groupings)."""
        ...

    @property
    def row_change(self) -> int:
        """Largest L1 change of a marginal between neighbours: k for add/remove, 2k for replace-one."""
        ...

    @property
    def total(self) -> int | None:
        """The number of rows if the schema states it as public, else None; never counted in the file."""
        ...

    @property
    def rho_left(self) -> float:
        """What this account may still spend, in rho; a function of prices, never of data."""
        ...

    def rho_left_after(self, rhos: Sequence[float]) -> float:
        """What it may still spend after questions at these prices; as the price of one more it takes the
        rest to the last unit."""
        ...

    def sigma(self, rho: float) -> float:
        """The noise a measurement at this price would get, in counts: sqrt(change^2 / (2 rho))."""
        ...

    def rho_for(self, sigma: float) -> float:
        """The price of a measurement with this noise; inverse of `sigma`."""
        ...

    def measure(self, clique: Clique, *, rho: float) -> Measurement:
        """Noisy counts of one marginal."""
        ...

    def measure_all(self, asked: Sequence[tuple[Clique, float]]) -> tuple[Measurement, ...]:
        """Noisy counts of marginals at a price each, as if measured one after the other; paid for together,
        and not at all if what is left does not cover them."""
        ...

    def choose(self, score: Score, *, rho: float) -> Choice:
        """Exponential mechanism: a candidate drawn with weight exp(sqrt(8 rho) * value / swing). A Gaussian
        run refuses it."""
        ...

    def score(self, score: Score, *, rho: float) -> NoisyScores:
        """All scores at once with Gaussian noise (L2 sensitivity sqrt(m) * sensitivity)."""
        ...

    def coarsened(self, groupings: Sequence[Grouping]) -> Source:
        """The same table in coarser codes, paid from the same account; free, as it answers nothing by itself.

        Privacy: a coarse code is a function of one row's code, so a row still fills one cell of a marginal
        and every sensitivity stays. Groupings are public: chosen from noisy answers. A coarsened source is
        not coarsened again.
        """
        ...
