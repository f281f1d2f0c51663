"""The closed list of questions, a file for each kind: `marginal`, `score` and `selection` are asked of codes,
through a `Source`; `tree`, `values` and `magnitudes` of the room, before there are codes.

Each is a frozen description made of public facts, knows what it asks in JSON for the ledger, states its
sensitivity with the reason, and has its noise beside it.
"""

from synth.measure.questions.base import A, Groups, Question, TableQuestion
from synth.measure.questions.magnitudes import MagnitudesQuestion, magnitude_grid
from synth.measure.questions.marginal import Marginal
from synth.measure.questions.score import Scores
from synth.measure.questions.selection import Selection
from synth.measure.questions.tree import TreeQuestion
from synth.measure.questions.values import ValuesQuestion

__all__ = [
    "A",
    "Groups",
    "MagnitudesQuestion",
    "Marginal",
    "Question",
    "Scores",
    "Selection",
    "TableQuestion",
    "TreeQuestion",
    "ValuesQuestion",
    "magnitude_grid",
]
