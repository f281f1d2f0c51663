from fractions import Fraction

import numpy as np

from synth.core.accounting import GAUSSIAN
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


def test_an_answer_is_the_truth_and_noise_of_its_price() -> None:
    query = Marginal(("a", "b"), {"a": (0, 1, 1)})
    assert query.exact(TABLES).tolist() == [[1, 1], [0, 2]]
    paid = Paid(units=4 * 10**16, part="m", step=7, terms=TERMS)
    blob = query.answer(TABLES, units=paid.units, terms=TERMS, entropy=Rehearsal(1))
    measured = query.read(blob, paid, domain=DOMAIN)
    assert measured.counts.tolist() == [[1, 1], [0, 2]], "sigma is 0.01"
    assert measured.variance == query.variance(paid.units, TERMS) == Fraction(8, 2 * 40_000)
    assert (measured.step, measured.part, measured.groups) == (7, "m", query.groups)
