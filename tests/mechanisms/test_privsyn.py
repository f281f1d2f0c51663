"""PrivSyn: its budget split, the pairs that it chooses, and the pairs that it excludes."""

import pytest

from synth.core.domain import Clique, Domain
from synth.core.graphs.workload import Workload
from synth.mechanisms.privsyn import PrivSyn
from synth.mechanisms.shared.base import Fitted
from synth.models.records.gum import GradualUpdates
from tests.mechanisms.examples import chain, fit, is_divided_in_tenths, problem_about

DOMAIN = Domain(tuple("abcde"), (4, 4, 4, 3, 1))


def fitted(rho: float, workload: Workload | None = None, **options: float) -> Fitted:
    problem = problem_about(DOMAIN, workload=workload, generator=GradualUpdates(rounds=3))
    return fit(PrivSyn(**options), chain(0.9), DOMAIN, rho, problem)


def tables(result: Fitted) -> list[Clique]:
    return [m.clique for m in result.evidence.measurements[5:]]


def test_the_price_is_divided_as_in_the_paper_and_scores_share_one_part() -> None:
    is_divided_in_tenths(fitted(0.05), 0.05)


def test_pairs_are_measured_while_they_are_worth_their_noise() -> None:
    """Scores are in counts. If they were multiplied by the number of records again, every related pair would
    be chosen.
    """
    chain, least = tables(fitted(5e-6)), tables(fitted(1e-7))
    assert set(chain) >= {("d",), ("e",)} and 0 < sum(len(r) == 2 for r in chain) < 3
    assert least == [(c,) for c in "abcde"]


def test_columns_alone_get_their_share_by_size() -> None:
    prices = {m.clique: m.rho for m in fitted(5e-6).evidence.measurements[5:]}
    pair = next(r for r in prices if len(r) == 2)
    assert prices[pair] == pytest.approx(prices["d",] * (16 / 3) ** (2 / 3), rel=1e-5)  # in whole units


def test_pairs_that_form_a_clique_are_one_table_unless_it_is_too_large() -> None:
    assert any(len(r) > 2 for r in tables(fitted(0.05)))
    assert all(DOMAIN.size(r) <= 48 for r in tables(fitted(0.05, table_cells=48)) if len(r) > 2)
    pairs = {r for r in tables(fitted(0.05, table_cells=0)) if len(r) > 1}
    assert pairs >= {("a", "b"), ("b", "c"), ("a", "c")} and max(map(len, pairs)) == 2
