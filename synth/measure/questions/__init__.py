"""The closed list of questions, a file and an entry for each kind: `marginal`, `interaction`, `score`,
`selection`, `embedding`, `votes`, `sides` and `training` are asked of codes, through a `Source`; `tree`,
`values` and `magnitudes` of the room, before there are codes.

Each is a frozen description made of public facts, knows what it asks in JSON for the ledger, states its
sensitivity with the reason, and has its noise beside it.
"""

from typing import Any

from synth.measure.questions.base import A, Groups, Question, TableQuestion
from synth.measure.questions.embedding import Embedding
from synth.measure.questions.interaction import Interaction
from synth.measure.questions.magnitudes import MagnitudesQuestion, magnitude_grid
from synth.measure.questions.marginal import Marginal
from synth.measure.questions.score import Candidates, Scores
from synth.measure.questions.selection import Selection
from synth.measure.questions.sides import Sides
from synth.measure.questions.training import Descent, Training
from synth.measure.questions.tree import TreeQuestion
from synth.measure.questions.values import ValuesQuestion
from synth.measure.questions.votes import Votes
from synth.measure.score import SideGap

QUESTIONS: dict[str, type[Question[Any]]] = {
    q.ask: q for q in (Marginal, Interaction, Scores, Selection, Embedding, Votes, Sides, Training)
}
"""What may be asked of codes, by the name the ledger knows it by."""

OF_ROWS = (Embedding, Votes, Sides, Training)
"""What cannot be answered from counts, as half-spaces to choose from cannot."""


def is_of_rows(question: Question[Any]) -> bool:
    """Whether a table that stays in a database cannot answer it."""
    chooses_sides = isinstance(question, Candidates) and isinstance(question.score, SideGap)
    return chooses_sides or isinstance(question, OF_ROWS)


TABLE_QUESTIONS: dict[str, type[TableQuestion]] = {
    q.ask: q for q in (ValuesQuestion, MagnitudesQuestion, TreeQuestion)
}
"""What may be asked of the file's texts."""

__all__ = [
    "QUESTIONS",
    "TABLE_QUESTIONS",
    "A",
    "Descent",
    "Embedding",
    "Groups",
    "Interaction",
    "MagnitudesQuestion",
    "Marginal",
    "Question",
    "Scores",
    "Selection",
    "Sides",
    "TableQuestion",
    "Training",
    "TreeQuestion",
    "ValuesQuestion",
    "Votes",
    "is_of_rows",
    "magnitude_grid",
]
