"""The law of a line whose answers were Gaussian at first and then of another kind
(assets/proofs/mixed-line.md).

Their rho adds up as that of any answers, at the part of delta that Gaussian answers set aside. No run is
reserved under it: each has the law of its own answers.
"""

from __future__ import annotations

from dataclasses import replace

from synth.core.accounting.promise import SET_ASIDE
from synth.core.accounting.zcdp import ZCDP

MIXED = replace(ZCDP, name="mixed", limit="mixed_units", share=SET_ASIDE, is_of_runs=False)
