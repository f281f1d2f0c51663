"""Scores of candidates for private selection, with their sensitivities."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from synth.core.measurements.noisy import Scored
from synth.private.scores.base import FORM, LARGEST, SCALE, Known, Score, packed, unpacked
from synth.private.scores.dependence import WHOLE, Dependence
from synth.private.scores.indif import InDif
from synth.private.scores.l1_gap import L1Gap
from synth.private.scores.largest_gap import LargestGap
from synth.private.scores.product_gap import ProductGap, Products
from synth.private.scores.range_gap import RangeGap
from synth.private.scores.side_gap import SideGap

SCORES: dict[str, type[Score]] = {
    score.name: score for score in (L1Gap, LargestGap, ProductGap, InDif, Dependence, SideGap, RangeGap)
}

IN_WORDS: dict[str, type[Score]] = {score.name: score for score in (L1Gap, InDif)}
"""Scores that can be measured with noise. Except for estimates, they consist of only a few numbers."""

__all__ = [
    "LARGEST",
    "SCALE",
    "SCORES",
    "WHOLE",
    "Dependence",
    "InDif",
    "Known",
    "L1Gap",
    "LargestGap",
    "ProductGap",
    "Products",
    "RangeGap",
    "Score",
    "SideGap",
    "packed",
    "public_words",
    "score_of_words",
    "unpacked",
]


def public_words(score: Scored) -> dict[str, Any]:
    """Return the name, the candidates and the weights of a score as JSON, without its estimates.

    Raises: `TypeError` if the score has other numbers.
    """
    left = cast(Score, score.forget(score.cliques))
    if left.name not in IN_WORDS:
        raise TypeError(f"a score that has no description in words: {left.name}")
    fields, _ = unpacked(left.state())
    return {"score": left.name, **{name: value for name, value in fields.items() if name not in FORM}}


def score_of_words(fields: Mapping[str, Any]) -> Score:
    """Return the score with these facts, without estimates (the inverse of `public_words`).

    Other facts are ignored. Raises: `KeyError` or `ValueError` if the facts are not of such a score.
    """
    if fields["score"] not in IN_WORDS:
        raise ValueError("a score that has no description in words")
    none = [np.empty(0, dtype=np.int64)] * len(fields["cliques"])
    return IN_WORDS[fields["score"]].restored(packed(fields, none))
