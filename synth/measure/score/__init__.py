"""Scores that may be asked for, a file for each: a closed list, each with its sensitivity and its swing.

A score is evaluated behind the wall on exact counts, in integers, so that its sensitivity is exact:
estimates are public numbers rounded to `SCALE`-ths of a record beforehand, absolute differences and sums of
integers are exact, and so is every product with an integer weight. It also says what its value tells of
marginals that nobody measured (`Score.bounds`).
"""

from synth.measure.score.base import LARGEST, SCALE, Known, Score
from synth.measure.score.dependence import WHOLE, Dependence
from synth.measure.score.indif import InDif
from synth.measure.score.l1_gap import L1Gap
from synth.measure.score.largest_gap import LargestGap
from synth.measure.score.product_gap import ProductGap, Products
from synth.measure.score.side_gap import SideGap

SCORES: dict[str, type[Score]] = {
    score.name: score for score in (L1Gap, LargestGap, ProductGap, InDif, Dependence, SideGap)
}

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
    "Score",
    "SideGap",
]
