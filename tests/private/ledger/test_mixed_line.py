"""Test that the answers of a budget are within the limit of its kind, for any history of runs.

These are the two facts on which the guarantee of a mixed budget rests (`assets/proofs/mixed-line.md`). They
are checked on the queries and not on the rules.
"""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.core.accounting import GAUSSIAN, ZCDP, Limit
from synth.core.errors import BudgetRefused
from tests.ledgers import PERSON, opened

LIMIT = Limit(units=100, gaussian_units=120, mixed_units=60, promise=(1.0, 1e-9))
LAWS = {"a": True, "b": True, "c": False}
"""The runs, and which of them are Gaussian. Each reserves, asks for one unit, asks for the rest, closes."""


@settings(max_examples=30, deadline=None)
@given(turns=st.permutations("aaaabbbbcccc"), prices=st.tuples(*[st.sampled_from([20, 40, 60, 80])] * 3))
def test_a_mixed_line_keeps_its_limits(
    turns: list[str], prices: tuple[int, int, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    ledger = opened(tmp_path_factory.mktemp("l") / "l.sqlite", LIMIT)
    reserved = dict(zip(LAWS, prices, strict=True))
    open_runs: set[str] = set()
    requested: list[tuple[str, int]] = []
    is_settled = False  # whether another kind was reserved when the first query was asked
    for turn, run in enumerate(turns):
        nth, law = turns[:turn].count(run), LAWS[run]
        if nth == 0:
            with suppress(BudgetRefused):
                ledger.open_run(
                    "p", run, units=reserved[run], label="", law=GAUSSIAN if law else ZCDP, protects=PERSON
                )
                open_runs.add(run)
        elif run in open_runs and nth < 3:
            units = 1 if nth == 1 else reserved[run] - 1
            query = {"ask": "measure", **({"law": "gaussian"} if law else {})}
            ledger.ask(run, part="m", step=nth, query=query, units=units, answer=lambda: b"")
            is_settled |= not requested and any(not LAWS[r] for r in open_runs)
            requested.append((run, units))
        elif run in open_runs:
            ledger.close_run(run)
            open_runs.remove(run)
        others = any(not LAWS[run] for run, _ in requested)
        most = LIMIT.units if is_settled else LIMIT.mixed_units if others else LIMIT.gaussian_units
        assert sum(units for _, units in requested) <= most
    ledger.close()
