"""A small domain, and what a question counts of rows that are written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synth.core.domain import Domain
from synth.private.counting.codes import Codes
from synth.private.exact_tables import ExactTables
from synth.private.queries import Query

DOMAIN = Domain(("a", "b"), (3, 2))


def exact(query: Query[Any], rows: Sequence[Sequence[int]], domain: Domain = DOMAIN) -> np.ndarray:
    table = np.array(rows, dtype=np.int64).reshape(-1, len(domain))
    return query.exact(ExactTables(Codes.of(table, domain), domain))
