"""The queries that the private side answers, with their sensitivities."""

from typing import Any

from synth.private.queries.base import A, Groups, Question, TableQuestion
from synth.private.queries.embedding import Embedding
from synth.private.queries.interaction import Interaction
from synth.private.queries.magnitudes import MagnitudesQuestion, magnitude_grid
from synth.private.queries.marginal import Marginal
from synth.private.queries.score import Candidates, Scores
from synth.private.queries.selection import Selection
from synth.private.queries.sides import Sides
from synth.private.queries.training import Descent, Training
from synth.private.queries.tree import TreeQuestion
from synth.private.queries.values import ValuesQuestion
from synth.private.queries.votes import Votes
from synth.private.scores import SideGap

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
