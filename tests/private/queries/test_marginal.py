from fractions import Fraction

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN
from synth.core.columns.unfit import NOWHERE, OWN, REASONS, Exclusion, Reason
from synth.core.domain import Domain
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.entropy import Rehearsal
from synth.private.exact_tables import ExactTables
from synth.private.queries import Marginal
from synth.private.terms import Paid, Terms

DOMAIN = Domain(("a", "b"), (3, 2))
TABLES = ExactTables(Codes.of(np.array([[0, 0], [0, 1], [2, 1], [2, 1]]), DOMAIN), DOMAIN)
TERMS = Terms(rows=2, neighbours=Neighbours.REPLACE)
EXAMPLES = (Marginal(("a",)), Marginal(("a", "b")), Marginal(("a", "b"), {"a": (0, 1, 1)}))


def test_its_facts_keep_the_form_they_have_in_ledgers() -> None:
    gaussian = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE, law=GAUSSIAN)
    assert Marginal(("a",)).facts(TERMS) == {"ask": "measure", "clique": ["a"]}
    assert Marginal(("a",), {"a": (0, 1, 1)}).facts(gaussian) == {
        "ask": "measure",
        "clique": ["a"],
        "law": "gaussian",
        "groups": {"a": [0, 1, 1]},
    }


EXCLUDED = (
    Exclusion(Reason.BELOW, 0), Exclusion(Reason.ABOVE, 2), Exclusion(Reason.BLANK, NOWHERE),
    Exclusion(Reason.CHANGED, OWN),
)  # fmt: skip
CODE = {Reason.BELOW: 0, Reason.ABOVE: 2, Reason.BLANK: 3}


def with_misfits(rows: np.ndarray) -> ExactTables:
    """`rows`: a code of three (3 is outside the domain) and a reason, or -1 for a row that fits."""
    domain = Domain(("a",), (3,))

    def unfit(place: int) -> np.ndarray:
        counts = np.zeros((4, len(REASONS)), dtype=np.int64)
        np.add.at(counts, tuple(rows[rows[:, 1] >= 0].T), 1)
        return counts

    column = rows[:, 0].astype(np.uint8)
    return ExactTables(Codes([column], domain, spans=(4,), unfit=unfit), domain)


def drawn(rng: np.random.Generator, many: int) -> np.ndarray:
    reasons = [None, None, *(e.reason for e in EXCLUDED)]
    some = [reasons[i] for i in rng.integers(0, len(reasons), many)]
    return np.array(
        [(CODE.get(r, rng.integers(0, 3)), -1 if r is None else REASONS.index(r)) for r in some]
    ).reshape(-1, 2)


@pytest.mark.parametrize("terms", [Terms(rows=k, neighbours=n) for k in (1, 3) for n in Neighbours])
def test_counters_of_cells_that_do_not_fit_cost_nothing_more(terms: Terms) -> None:
    """The squared change of any neighbour is at most that of a plain table, and some reach it."""
    rng, query, most = np.random.default_rng(0), Marginal(("a",), excluded=EXCLUDED), 0
    for _ in range(300):
        base, mine, others = drawn(rng, 20), drawn(rng, terms.rows), drawn(rng, terms.rows)
        if rng.random() < 0.5:
            mine, others = mine[[0] * terms.rows], others[[0] * terms.rows]
        fewer = [base, others] if terms.replaces else [base]
        change = query.exact(with_misfits(np.vstack([base, mine]))) - query.exact(
            with_misfits(np.vstack(fewer))
        )
        most = max(most, int((change**2).sum()))
    assert most == query.l2_squared(terms) == 25 * terms.l2_squared
    assert query.variance(10**9, terms) == 25 * Marginal(("a",)).variance(10**9, terms)


def test_cells_that_do_not_fit_are_counted_and_stay_in_the_table() -> None:
    rows = drawn(np.random.default_rng(1), 900)
    tables, query = with_misfits(rows), Marginal(("a",), excluded=EXCLUDED)
    assert query.restored(query.facts(TERMS), None) == query
    paid = Paid(units=4 * 10**16, part="m", step=7, terms=TERMS)
    blob = query.answer(tables, units=paid.units, terms=TERMS, entropy=Rehearsal(1))
    measured = query.read(blob, paid, domain=Domain(("a",), (3,)))
    exact = np.bincount(rows[:, 0], minlength=4)[:3]
    # a fifth of the changed cells is distributed in proportion to the counts
    assert np.abs(measured.counts - exact).max() <= 5 and abs(measured.counts.sum() - exact.sum()) <= 2
    for one in measured.unfit:
        assert abs(one.cells - (rows[:, 1] == REASONS.index(Reason(one.reason))).sum()) < 1
    plain = Marginal(("a",)).variance(paid.units, TERMS)
    assert plain * Fraction(10, 9) <= measured.variance <= plain * Fraction(11, 9)
    assert [one.weight for one in measured.unfit] == [3, 3, 5, 3]


def test_an_answer_is_the_truth_and_noise_of_its_price() -> None:
    query = Marginal(("a", "b"), {"a": (0, 1, 1)})
    assert query.exact(TABLES).tolist() == [[1, 1], [0, 2]]
    paid = Paid(units=4 * 10**16, part="m", step=7, terms=TERMS)
    blob = query.answer(TABLES, units=paid.units, terms=TERMS, entropy=Rehearsal(1))
    measured = query.read(blob, paid, domain=DOMAIN)
    assert measured.counts.tolist() == [[1, 1], [0, 2]], "sigma is 0.01"
    assert measured.variance == query.variance(paid.units, TERMS) == Fraction(8, 2 * 40_000)
    assert (measured.step, measured.part, measured.groups) == (7, "m", query.groups)
