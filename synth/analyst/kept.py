"""Build a graph of the columns that shows what is known about each pair."""

from __future__ import annotations

from enum import StrEnum
from itertools import combinations

import networkx as nx
import numpy as np

from synth.analyst.answers import LEVEL
from synth.analyst.measured import Measured
from synth.core.measurements.chance import dependence


class Known(StrEnum):
    """The kinds of knowledge about the relation between two columns, strongest first."""

    MEASURED = "measured"
    JUDGED = "measured by the accuracy check"
    BOUNDED = "bounded"
    NOTHING = "nothing"


def kept(measured: Measured) -> nx.Graph:
    """Return a graph with one node per column and one edge per pair of columns.

    The `strength` of an edge is the distance of the pair from independence in the synthetic rows (TVD, beyond
    chance), 0 for unrelated columns. The `known` attribute is a member of `Known`. `error` is the error of
    the pair (TVD) that all documents state for these synthetic rows, and `limit` is an upper limit on
    this error. Both are None if they are unknown.
    """
    graph = nx.Graph()
    graph.add_nodes_from((axis.name, {"title": axis.column.heading}) for axis in measured.codebook.axes)
    related = {pair for fact in measured.facts for pair in combinations(fact.clique, 2)}
    for pair in combinations(measured.domain.names, 2):
        judged, bound = measured.judged.get(pair), measured.bounded.get(pair)
        known = Known.NOTHING if bound is None else Known.BOUNDED
        known = known if judged is None else Known.JUDGED
        known = Known.MEASURED if pair in related else known
        limit = bound if judged is None else judged.upper(LEVEL)
        if judged is not None and judged.likely is not None:
            limit = judged.likely.upper(1 - LEVEL)
        error = None if judged is None or judged.apart else judged.stated
        counts = measured.released.fresh_counts(pair).astype(np.float64)
        graph.add_edge(*pair, strength=dependence(counts), known=known, error=error, limit=limit)
    return graph
