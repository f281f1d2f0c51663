"""Test the combination of releases about the same people."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import chdtrc

import synth
from synth.analyst.kit import Kit
from synth.analyst.measured import Measured
from synth.analyst.together import TEST_LEVEL, agreement, together
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.measurements.interactions import centred
from synth.core.zeros import Zero
from synth.estimates.facts import Fact
from synth.models.coarse import common_groups
from tests.analyst.simulated import DOMAIN, people, released

ONES = {(name,): 6.0 for name in DOMAIN.names}
COARSE = {"a": (0, 0, 1, 1, 2, 2)}
FINER = {"a": (0, 1, 1, 1, 2, 2)}


def test_two_releases_equal_one_at_their_summed_precision() -> None:
    """Tables in different groups refine each other, and equal tables count as one table with their mean."""
    rng = np.random.default_rng(81)
    rows = people(rng, 3000)
    first = released(rows, {**ONES, ("a", "b"): 8.0}, rng, groups=COARSE)
    second = released(rows, {**ONES, ("a", "b"): 4.0, ("b", "c"): 5.0}, rng, groups=FINER)
    both = together([first, second])
    facts = [*first.facts, *second.facts]
    design, counts, weights = [], [], []
    for fact in facts:  # a dense solve over all cells of the three columns
        for cell in np.ndindex(fact.counts.shape):
            inside = [np.isin(fact.groups[n], k) for n, k in zip(fact.clique, cell, strict=True)]
            full = {
                **{n: np.ones(DOMAIN.size([n])) for n in DOMAIN.names},
                **dict(zip(fact.clique, inside, strict=True)),
            }
            design.append(np.kron(np.kron(full["a"], full["b"]), full["c"]))
            counts.append(fact.counts[cell])
            weights.append(fact.variance**-0.5)
    root, matrix = np.array(weights), np.array(design)
    inverse = np.linalg.pinv(root[:, None] * matrix, rcond=1e-9)
    term = {
        "a": np.array([1.0, 0, 0, 0, 0, 0]),
        "b": np.array([1.0, 1, 0, 0]),
    }  # no single release separates it
    query = np.kron(np.kron(term["a"], term["b"]), np.ones(3))
    solution = both.system(DOMAIN.names).solve([term])
    assert solution is not None and first.solve(term) is None
    assert solution.estimate == pytest.approx(query @ inverse @ (root * counts), abs=1e-6)
    assert solution.variance == pytest.approx(np.square(inverse.T @ query).sum(), rel=1e-9)
    assert common_groups(both.evidence.measurements) == {"a": FINER["a"]}, "a model has one set of groups"
    own = [part.solve({"c": np.array([1.0, 0, 0])}) for part in (first, second, both)]
    assert own[2].variance < 1 / (1 / own[0].variance + 1 / own[1].variance) * (1 + 1e-9)  # type: ignore[union-attr]


@pytest.mark.long
def test_combined_intervals_hold_and_are_narrower() -> None:
    """1,000 draws of three releases: 0.95 within four standard deviations."""
    rng, held, widths = np.random.default_rng(82), 0, []
    rows = people(rng, 2000)
    truth = float(((rows[:, 0] < 2) & (rows[:, 1] == 1)).sum())
    for _ in range(1000):
        parts = [released(rows, {**ONES, ("a", "b"): 9.0}, rng) for _ in range(3)]
        if agreement([part.facts for part in parts]).chance < TEST_LEVEL:
            continue
        answers = [Kit(m).count(a=[0, 1], b=1) for m in (parts[0], together(parts))]
        low, high = answers[1].interval or (0.0, 0.0)
        held += low <= truth <= high
        widths.append(answers[1].noise / answers[0].noise)
    assert len(widths) > 990 and 0.922 < held / len(widths) < 0.978
    assert np.mean(widths) == pytest.approx(3**-0.5, rel=1e-6)


def test_the_test_refuses_at_its_level_and_finds_other_people() -> None:
    """Expected: 2 refusals of 2,000 draws; more than 9 with probability 5e-5."""
    rng, tables = np.random.default_rng(83), {**ONES, ("a", "b"): 6.0}
    rows = people(rng, 3000)
    chances, plain, weighted = [], [], []
    for _ in range(2000):
        facts = [released(rows, tables, rng).facts for _ in range(2)]
        found = agreement(facts)
        chances.append(found.chance)
        plain.append(chdtrc(found.degrees, found.statistic))
        weighted.append(found.weighted)
    assert found.degrees == 6 + 4 + 3 + 24
    assert (np.array(chances) < TEST_LEVEL).sum() <= 9
    others = people(rng, 3000, moved=0.1)
    with pytest.raises(Mistake, match=r"not about the same people.* degrees of freedom"):
        together([released(rows, tables, rng), released(rows, tables, rng), released(others, tables, rng)])


def test_similar_people_are_noticed_in_cells_with_many_records() -> None:
    """A table with 600 cells, of which 6 have records, in which a tenth of the people is replaced."""
    rng, domain = np.random.default_rng(92), Domain(("a",), (600,))
    rows, weighted, plain = rng.integers(0, 6, (3000, 1)), [], []
    for _ in range(50):
        later = rows.copy()
        later[:300] = rng.integers(0, 6, (300, 1))
        found = agreement([released(r, {("a",): 3.0}, rng, domain=domain).facts for r in (rows, later)])
        weighted.append(found.weighted)
        plain.append(chdtrc(found.degrees, found.statistic))
    assert np.median(weighted) < 1e-3 < 0.01 < np.median(plain)


def test_interactions_have_fewer_degrees_of_freedom() -> None:
    """The mean of 500 p-values is 0.5 within five standard deviations."""
    rng, groups = np.random.default_rng(86), {"b": np.arange(4), "c": np.arange(3)}
    chances = []
    for _ in range(500):
        facts = [
            Fact(
                clique=("b", "c"),
                groups=groups,
                counts=centred(rng.normal(0, 5, (4, 3))),
                variance=25.0,
                is_interaction=True,
            )
            for _ in range(2)
        ]
        found = agreement([[fact] for fact in facts])
        chances.append(chdtrc(found.degrees, found.statistic))
    assert np.mean(chances) == pytest.approx(0.5, abs=0.065)


def test_tables_in_other_groups_are_not_compared() -> None:
    rng = np.random.default_rng(84)
    rows = people(rng, 500)
    facts = [released(rows, {("a", "b"): 2.0}, rng, groups=g).facts for g in (COARSE, FINER)]
    assert agreement(facts).degrees == 0 and agreement(facts).chance == 1.0


@pytest.mark.parametrize(
    "what", ["column", "codes", "rules", "rows", "unit", "people", "town", "twice", "none"]
)
def test_releases_that_differ_are_refused(what: str) -> None:
    rng = np.random.default_rng(85)
    rows = people(rng, 300)
    one = other = released(rows, ONES, rng)
    schema = one.codebook.schema
    if what == "column":
        other = released(rows[:, :2], {("a",): 6.0}, rng, domain=Domain(("a", "b"), (6, 4)))
    elif what == "codes":
        other = released(rows, ONES, rng, domain=Domain(DOMAIN.names, (6, 4, 4)))
    elif what == "rules":
        other = released(rows, ONES, rng, zeros=[Zero(("a",), np.arange(6) == 5)])
    elif what == "rows":
        other = _with(other, schema=replace(schema, rows_public=300))
    elif what == "unit":
        other = _with(other, schema=replace(schema, unit=replace(schema.unit, max_rows=2)))
    elif what == "town":
        other = _with(other, schema=replace(schema, population="elsewhere"))
    elif what == "people":
        other = released(rows, ONES, rng, spec={"people": "changing"})
    words = {
        "people": "Release 2 is declared to be about other people",
        "town": "the populations differ",
        "column": "the columns c are not in both",
        "codes": "the bins of 'c' differ",
        "rules": "the rules differ",
        "rows": "public numbers of rows differ",
        "unit": "privacy units differ",
        "twice": "the same measurements",
        "none": "no releases",
    }
    with pytest.raises(Mistake, match=words[what]):
        together([] if what == "none" else [one, other])


def _with(measured: Measured, **facts: object) -> Measured:
    codebook = replace(measured.codebook, **facts)  # type: ignore[arg-type]
    return replace(measured, evidence=replace(measured.evidence, codebook=codebook))


def test_packages_are_combined_by_path(package: Path) -> None:
    kit = synth.together([package])
    answers = [one.count(sex="female") for one in (kit, synth.open(package))]
    assert answers[0].estimate == pytest.approx(answers[1].estimate)
    with pytest.raises(Mistake, match="Name each release once"):
        kit.together(synth.open(package))
    with pytest.raises(Mistake, match="Name each release once"):
        kit.together(kit)
