"""Define the queries that the private side answers, with their sensitivities."""

from typing import Any

from synth.private.exact_tables import Groups
from synth.private.queries.base import A, Query, TableQuery
from synth.private.queries.embedding import Embedding
from synth.private.queries.hits import Hits
from synth.private.queries.interaction import Interaction
from synth.private.queries.logistic import LogisticScore
from synth.private.queries.magnitudes import MagnitudesQuery, magnitude_grid
from synth.private.queries.marginal import Marginal
from synth.private.queries.mean_score import MeanScore
from synth.private.queries.moments import Moments
from synth.private.queries.score import Candidates, Scores
from synth.private.queries.selection import Selection
from synth.private.queries.sides import Sides
from synth.private.queries.training import Descent, Training
from synth.private.queries.tree import TreeQuery
from synth.private.queries.values import ValuesQuery
from synth.private.queries.votes import Votes
from synth.private.scores import SideGap

OF_ROWS = (Embedding, Votes, Sides, Hits, Moments, LogisticScore, Training)
"""Queries that need rows. (Selections among half-spaces also need them.)"""

QUERIES: dict[str, type[Query[Any]]] = {
    q.ask: q for q in (Marginal, Interaction, Scores, MeanScore, Selection, *OF_ROWS)
}
"""Queries about encoded rows, by name in the ledger."""


def is_of_rows(query: Query[Any]) -> bool:
    """Whether a query needs rows, so that a table in a database cannot answer it."""
    chooses_sides = isinstance(query, Candidates) and isinstance(query.score, SideGap)
    return chooses_sides or isinstance(query, OF_ROWS)


TABLE_QUERIES: dict[str, type[TableQuery]] = {q.ask: q for q in (ValuesQuery, MagnitudesQuery, TreeQuery)}
"""Queries about the strings of a file, by name in the ledger."""

__all__ = [
    "QUERIES",
    "TABLE_QUERIES",
    "A",
    "Descent",
    "Embedding",
    "Groups",
    "Hits",
    "Interaction",
    "LogisticScore",
    "MagnitudesQuery",
    "Marginal",
    "MeanScore",
    "Moments",
    "Query",
    "Scores",
    "Selection",
    "Sides",
    "TableQuery",
    "Training",
    "TreeQuery",
    "ValuesQuery",
    "Votes",
    "is_of_rows",
    "magnitude_grid",
]
