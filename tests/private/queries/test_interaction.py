"""Test noisy interactions: their sensitivity, and noise in proportion to the length of each contrast."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from synth.core.accounting import GAUSSIAN, UNITS_PER_RHO, ZCDP, Law
from synth.core.domain import Domain
from synth.core.measurements.interactions import squared_lengths
from synth.core.measurements.noisy import NoisyNumbers
from synth.core.schema import Neighbours
from synth.private.counting.codes import Codes
from synth.private.entropy import Rehearsal
from synth.private.exact_tables import ExactTables
from synth.private.queries import Interaction
from synth.private.terms import Paid, Terms
from tests.private.queries.tables import DOMAIN, exact

ROWS = np.array([[0, 0], [0, 1], [2, 1], [2, 1], [1, 0]])
TABLES = ExactTables(Codes.of(ROWS, DOMAIN), DOMAIN)
EXAMPLES = (Interaction(("a", "b"), (3, 2)), Interaction(("a",), (3,)), Interaction(("b",), (2,)))
ONE = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 3), (4,), (2, 2, 2)])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", Neighbours)
def test_neighbours_are_as_near_as_stated(sizes: tuple[int, ...], rows: int, relation: Neighbours) -> None:
    """Every unit of a tiny domain, and every pair where one is replaced, in contrasts over the lengths
    of their rows; it is reached."""
    domain = Domain(tuple("abc"[: len(sizes)]), sizes)
    query = Interaction.of(domain, domain.names)
    lengths = squared_lengths(sizes).ravel().tolist()
    records = list(product(*map(range, sizes)))
    units = [list(u) for n in range(rows + 1) for u in combinations_with_replacement(records, n)]
    known = sorted({tuple(exact(query, unit, domain).ravel().tolist()) for unit in units})
    others = known if relation is Neighbours.REPLACE else [(0,) * len(lengths)]
    moved = max(
        sum(Fraction((a - b) ** 2, length) for a, b, length in zip(one, other, lengths, strict=True))
        for one in known
        for other in others
    )
    assert moved == query.l2_squared(Terms(rows=rows, neighbours=relation))


def test_its_facts_keep_the_form_they_have_in_ledgers() -> None:
    gaussian = Terms(rows=1, neighbours=Neighbours.ADD_REMOVE, law=GAUSSIAN)
    assert EXAMPLES[0].facts(ONE) == {"ask": "interaction", "clique": ["a", "b"], "shape": [3, 2]}
    assert EXAMPLES[2].facts(gaussian) == {
        "ask": "interaction",
        "clique": ["b"],
        "shape": [2],
        "law": "gaussian",
    }


def test_within_groups_of_other_columns_it_stays_and_of_its_own_it_is_refused() -> None:
    groups = {"a": (0, 1, 1)}
    for example in EXAMPLES:
        assert example.within({}) is example.within({"c": (0, 0)}) is example
    assert EXAMPLES[2].within(groups) is EXAMPLES[2]
    for example in EXAMPLES[:2]:
        with pytest.raises(ValueError, match="uses the codes of the domain"):
            example.within(groups)
    with pytest.raises(ValueError, match="uses the codes of the domain"):
        EXAMPLES[0].within({"b": (0, 1)})  # even where no code changes


@pytest.mark.parametrize("query", EXAMPLES)
def test_an_answer_is_the_truth_and_noise_of_its_price(query: Interaction) -> None:
    paid = Paid(units=4 * 10**16, part="m", step=7, terms=ONE)
    blob = query.answer(TABLES, units=paid.units, terms=ONE, entropy=Rehearsal(1))
    answer = query.read(blob, paid, domain=DOMAIN)
    np.testing.assert_array_equal(answer.values, query.exact(TABLES), "sigma is 0.004 at most")
    assert answer.variance == query.l2_squared(ONE) / (2 * 40_000)
    assert (answer.step, answer.part, answer.requested) == (7, "m", query.facts(ONE))


@pytest.mark.parametrize("law", [ZCDP, GAUSSIAN])
def test_noise_is_independent_and_each_contrast_has_that_of_its_length(law: Law) -> None:
    domain, draws = Domain(("a", "b"), (3, 3)), 4000
    query = Interaction.of(domain, domain.names)
    tables = ExactTables(Codes.of(ROWS, domain), domain)
    terms = Terms(rows=1, neighbours=Neighbours.REPLACE, law=law)
    paid = Paid(units=UNITS_PER_RHO // 100, part="m", step=0, terms=terms)

    def drawn() -> NoisyNumbers:
        return query.read(query.answer(tables, units=paid.units, terms=terms), paid, domain=domain)

    variance = float(drawn().variance)
    assert variance == pytest.approx(2 * Fraction(4, 9) * Fraction(3, 2) * 50)
    noise = np.array([drawn().values.ravel() for _ in range(draws)]) - query.exact(tables).ravel()
    alike = noise / np.sqrt(variance * squared_lengths((3, 3)).ravel())
    assert abs(alike.mean(axis=0) * draws**0.5).max() < 5
    found = alike.T @ alike / draws
    assert abs(np.diag(found) - 1).max() < 5 * (2 / draws) ** 0.5
    assert abs(found - np.diag(np.diag(found))).max() < 5 * draws**-0.5


@pytest.mark.parametrize(
    "query",
    [
        Interaction(("a", "b"), (2, 2)),
        Interaction(("a", "b"), (3,)),
        Interaction(("b", "a"), (2, 3)),
        Interaction(("a", "a"), (3, 3)),
        Interaction(("a", "c"), (3, 2)),
        Interaction(("a",), (2,)),
        Interaction(("a", "b"), (1, 2)),
        Interaction((), ()),
    ],
)
def test_what_is_no_interaction_of_the_domain_does_not_fit(query: Interaction) -> None:
    assert all(example.fits(DOMAIN) for example in EXAMPLES) and not query.fits(DOMAIN)


def test_a_column_of_one_code_has_none() -> None:
    assert not Interaction(("a", "b"), (1, 2)).fits(Domain(("a", "b"), (1, 2)))


def test_planned_noise_per_cell_is_that_of_the_interaction_under_both_relations() -> None:
    query, rho = Interaction(("a", "b"), (2, 2)), 0.02
    for neighbours, change in ((Neighbours.ADD_REMOVE, 1), (Neighbours.REPLACE, 4)):
        terms = Terms(rows=3, neighbours=neighbours)
        requested = query.cell_sigma(rho, terms) ** 2
        assert requested == pytest.approx(9 * change / 4 / (2 * rho) / 4)
