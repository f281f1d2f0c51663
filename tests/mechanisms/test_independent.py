import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.mechanisms.independent import Independent
from synth.mechanisms.selection.workload import Workload
from synth.mechanisms.shared.base import Problem
from synth.private.counting.codes import Codes
from synth.private.exact import Exact


def test_wide_columns_get_more_but_less_than_in_proportion() -> None:
    domain = Domain(("narrow", "wide"), (2, 54))
    rows = np.zeros((10, 2), dtype=np.int64)
    source = Exact(Codes.of(rows, domain), domain, rho=1.0)
    problem = Problem(workload=Workload.all_kway(domain, 1), codebook=Codebook.plain(domain))
    narrow, wide = Independent().run(source, problem, rng=np.random.default_rng(0)).evidence.measurements
    assert abs(wide.rho / narrow.rho - 9.0) < 1e-6
