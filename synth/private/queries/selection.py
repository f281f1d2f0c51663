"""Select a candidate by the exponential mechanism on integer scores, sampled exactly by OpenDP."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.accounting import UNITS_PER_RHO
from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.measurements.noisy import Choice
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.exact_tables import ExactTables
from synth.private.noise import bernoulli_exp
from synth.private.queries.base import group_facts
from synth.private.queries.score import Candidates
from synth.private.terms import Paid, Terms


class Selection(Candidates):
    """A candidate drawn with weight exp(epsilon * score / swing). Gaussian accounting does not allow this
    query.

    Privacy: the exponential mechanism with epsilon^2 / 8 <= rho, because its range is bounded (Cesar and
    Rogers 2021): one unit changes the difference of two scores by at most the swing. See `exponential` for
    the draw and its cost.
    """

    ask: ClassVar[str] = "choose"
    words: ClassVar[tuple[str, str]] = ("selection", "selections")

    def facts(self, terms: Terms) -> dict[str, Any]:
        return {
            "ask": self.ask,
            "swing": self.score.swing(self.moved(terms)),
            **self.score.facts(),
            **terms.law.as_facts(),
            **group_facts(self.groups),
        }

    def answer(
        self, tables: ExactTables, *, units: int, terms: Terms, entropy: Entropy = OS_ENTROPY
    ) -> bytes:
        swing = self.score.swing(self.moved(terms))
        index, _ = exponential(self.exact(tables), swing=swing, units=units, entropy=entropy)
        return json.dumps(index).encode()

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        """Return the best candidate."""
        return json.dumps(int(np.argmax(exact))).encode()

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Choice:
        return Choice(
            score=self.score,
            index=int(json.loads(blob)),
            units=paid.units,
            epsilon=selection_epsilon(paid.units),
            swing=self.score.swing(self.moved(paid.terms)),
            part=paid.part,
            step=paid.step,
        )


def selection_epsilon(units: int) -> float:
    """Return the epsilon of the exponential mechanism at a cost: epsilon^2 / 8 <= units * 1e-12, rounded
    down.

    >>> selection_epsilon(2 * 10**12) <= 4 < selection_epsilon(2 * 10**12) * (1 + 1e-12)
    True
    """
    return math.sqrt(8 * units / UNITS_PER_RHO) * (1 - 2.0**-48)


def exponential(
    scores: NDArray[np.int64], swing: int, *, units: int, entropy: Entropy = OS_ENTROPY
) -> tuple[int, float]:
    """Draw an index with weight exp(epsilon * score / swing), and return it together with epsilon.

    Units: `swing` is in units of the scores, `units` is in 1e-12 rho. `swing` is the largest change of the
    difference of two scores by one unit. Two-sided scores of sensitivity D have swing 2 D, which gives the
    usual weight exp(epsilon * score / (2 D)). Privacy: the range of such a draw is bounded by epsilon, so it
    costs epsilon^2 / 8 in zCDP (Cesar and Rogers 2021; Dong, Durfee, Rogers 2020). OpenDP states the cost of
    its noisy maximum for two-sided scores, map(D) = (2 D / scale)^2 / 8, so it gets D = swing / 2; an odd
    swing is doubled together with the scores. The stated cost is compared with the charge, as exact
    rationals, before anything is drawn. Raises: `Refusal` if it exceeds the charge, or if OpenDP fails.
    """
    if len(scores) == 0 or scores.dtype != np.int64 or swing < 1 or units < 1:
        raise Refusal(Code.QUERY_INVALID)
    epsilon = selection_epsilon(units)
    if entropy.is_rehearsal:
        return _rehearsed(scores, Fraction(epsilon) / swing, entropy), epsilon
    if swing % 2:
        if max(abs(int(scores.min())), abs(int(scores.max()))) >= 1 << 62:
            raise Refusal(Code.QUERY_INVALID)
        scores, swing = scores * 2, swing * 2
    scale = math.nextafter(swing / epsilon, math.inf)
    from opendp.domains import atom_domain, vector_domain  # most methods select without it
    from opendp.measurements import make_noisy_max
    from opendp.measures import zero_concentrated_divergence
    from opendp.metrics import linf_distance
    from opendp.mod import OpenDPException, enable_features

    enable_features("contrib")
    try:
        draw = make_noisy_max(
            vector_domain(atom_domain(T="i64")),
            linf_distance(T="i64"),
            zero_concentrated_divergence(),
            scale=scale,
        )
        cost = Fraction(draw.map(swing // 2))  # type: ignore[no-untyped-call]
        if cost > Fraction(units, UNITS_PER_RHO):
            raise Refusal(Code.INTERNAL)
        return int(draw(scores)), epsilon
    except OpenDPException:
        raise Refusal(Code.INTERNAL) from None


def _rehearsed(scores: NDArray[np.int64], slope: Fraction, entropy: Entropy) -> int:
    """Draw from the same distribution with reproducible bytes, by rejection.

    The time depends on the scores, so this is for public data only.
    """
    best, n = int(scores.max()), len(scores)
    while True:
        index = int.from_bytes(entropy.bytes(16), "little") * n >> 128
        if bernoulli_exp((best - int(scores[index])) * slope, entropy=entropy):
            return index
