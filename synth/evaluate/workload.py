"""The workload error of AIM (Def. 2). NOT PRIVATE when one of the tables is the real one.

    1 / (|W| N) sum_s c_s ||M_s(D) - M_s(D')||_1

N is the number of real rows. Counts are compared, so a synthetic table with a different number of rows has a
larger error. Reference programs print half of this error after dividing each table by its number of rows.
Here, this figure is called `fidelity`.
"""

from __future__ import annotations

import numpy as np

from synth.core.graphs.workload import Workload
from synth.core.table import CodeTable
from synth.evaluate.fidelity import DENSE


def workload_error(real: CodeTable, synthetic: CodeTable, workload: Workload) -> float:
    """Return the error: from 0 (equal tables) to about 2 if all weights are 1.

    Raises: ValueError for different domains, a table without rows, or no cliques.
    """
    if real.domain != synthetic.domain or real.rows == 0 or not workload.cliques:
        raise ValueError("workload error compares two tables over the same domain on at least one clique")
    weighted = zip(workload.cliques, workload.weights, strict=True)
    total = sum(weight * _gap(real, synthetic, clique) for clique, weight in weighted)
    return total / (len(workload.cliques) * real.rows)


def _gap(real: CodeTable, synthetic: CodeTable, clique: tuple[str, ...]) -> float:
    size = real.domain.size(clique)
    ours, theirs = real.keys(clique), synthetic.keys(clique)
    if size <= DENSE:
        return float(np.abs(np.bincount(ours, minlength=size) - np.bincount(theirs, minlength=size)).sum())
    _, place = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    sign = np.repeat([1.0, -1.0], [len(ours), len(theirs)])
    return float(np.abs(np.bincount(place, weights=sign)).sum())
