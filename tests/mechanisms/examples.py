"""Sources without noise, and problems, in one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.zeros import Zero
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Problem
from synth.private.counting.codes import Codes
from synth.private.exact import Exact


def exact(rows: np.ndarray, domain: Domain, *, rho: float) -> Exact:
    """Answer as the table says; prices are real."""
    return Exact(Codes.of(rows, domain), domain, rho=rho)


def problem_about(
    domain: Domain,
    k: int = 2,
    *,
    workload: Workload | None = None,
    zeros: Iterable[Zero] = (),
    ordered: Mapping[str, int] | None = None,
    **more: Any,
) -> Problem:
    """All tables of `k` columns, unless another workload is given."""
    book = Codebook.plain(domain, zeros=zeros, ordered=ordered)
    return Problem(workload=workload or Workload.all_kway(domain, k), codebook=book, **more)
