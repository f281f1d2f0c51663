"""Select a candidate by the exponential mechanism on integer scores, sampled exactly by OpenDP."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.errors import Code, Refusal
from synth.core.measurements.noisy import Choice
from synth.private.entropy import OS_ENTROPY, Entropy
from synth.private.exact_tables import ExactTables
from synth.private.noise import bernoulli_exp
from synth.private.queries.base import group_facts
from synth.private.queries.score import Candidates
from synth.private.terms import Paid, Terms

ROOM = Fraction(1, 1 << 48)
"""Relative error of OpenDP's stated cost. Laws round the range down by more than this (`Law.range_within`).
"""


class Selection(Candidates):
    """A candidate drawn with weight exp(epsilon * score / swing).

    Privacy: the exponential mechanism with range epsilon, because one unit changes the difference of two
    scores by at most the swing. Its cost is that of a range (`Law.range_within`): mu = 2 Phi^-1(1 / (1 +
    exp(-epsilon / 2))) in GDP, epsilon^2 / 8 in zCDP (assets/proofs/ranges.md).
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
        epsilon = terms.law.range_within(units)
        index = exponential(self.exact(tables), swing, epsilon=epsilon, entropy=entropy)
        return json.dumps(index).encode()

    def plain(self, exact: NDArray[np.int64]) -> bytes:
        """Return the best candidate."""
        return json.dumps(int(np.argmax(exact))).encode()

    def read(self, blob: bytes, paid: Paid, *, domain: Domain) -> Choice:
        return Choice(
            score=self.score,
            index=int(json.loads(blob)),
            units=paid.units,
            epsilon=paid.terms.law.range_within(paid.units),
            swing=self.score.swing(self.moved(paid.terms)),
            part=paid.part,
            step=paid.step,
        )


def exponential(
    scores: NDArray[np.int64], swing: int, *, epsilon: float, entropy: Entropy = OS_ENTROPY
) -> int:
    """Draw an index with weight exp(epsilon * score / swing).

    Units: `swing`, in units of the scores, is the largest change of the difference of two scores by one unit.
    Two-sided scores of sensitivity D have swing 2 D, which gives the usual weight exp(epsilon * score / (2
    D)). Privacy: the log ratios of such a draw lie within an interval of length epsilon (Durfee and Rogers
    2019). OpenDP states the cost of its noisy maximum in zCDP for two-sided scores, map(D) = (2 D / scale)^2
    / 8, so it gets D = swing / 2; an odd swing is doubled together with the scores. The stated cost is
    compared with epsilon^2 / 8, as exact rationals, before anything is drawn. Raises: `Refusal` if it is
    larger, or if OpenDP fails.
    """
    if len(scores) == 0 or scores.dtype != np.int64 or swing < 1 or not epsilon > 0:
        raise Refusal(Code.QUERY_INVALID)
    if entropy.is_rehearsal:
        return _rehearsed(scores, Fraction(epsilon) / swing, entropy)
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
        if 8 * cost > (Fraction(epsilon) * (1 + ROOM)) ** 2:
            raise Refusal(Code.INTERNAL)
        return int(draw(scores))
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
