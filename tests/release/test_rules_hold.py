"""No drawn row breaks a rule, and contradictory rules are refused, for random rules and all generators."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.discretisation import resolve_axes
from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.dictionaries import load_schema
from synth.models.registry import GENERATORS
from synth.release.csv_text import read, write
from synth.release.drawing import Drawing
from synth.rules import parse_rules
from tests.models.examples import measurement
from tests.rules import invented

QUICK = [name for name, kind in GENERATORS.items() if not kind.trains]


def broken_rows(seed: int, generator: str, rows: int = 200) -> int:
    """Return the number of drawn rows that break a rule.

    Rules are checked by their direct definition, on the table as it is read from its file. The measurements
    are random counts, so many cells of the model admit no values.
    """
    document, rules = invented.satisfiable(seed)
    schema = load_schema(document)
    parsed = parse_rules([rule.sentence for rule in rules], schema)
    axes = resolve_axes(schema, parsed)
    codebook = Codebook(schema=schema, axes=axes, zeros=parsed.zeros(axes))
    rng = np.random.default_rng(seed)
    answers = [measurement((axis.name,), rng.integers(0, 30, axis.size)) for axis in axes]
    for zero in codebook.zeros:
        counts = rng.integers(0, 9, zero.forbidden.shape)
        if len(zero.clique) == 2:
            answers.append(measurement(zero.clique, np.where(zero.forbidden, 0, counts)))
    evidence = Evidence(codebook=codebook, answers=tuple(answers), total=float(rows))
    model = GENERATORS[generator]().rough().fit(evidence, seed=seed)
    drawing = Drawing(model=model, codebook=codebook, rules=parsed, shares=(), seed=seed)
    codes, table = drawing.whole(rows)
    assert len(codes) == len(table) == rows
    parsed_again = read(write(table, axes), axes)
    assert not any(parsed_again.outside.values())
    assert not any(parsed.violations(parsed_again.frame).values())
    plain = parsed_again.frame.astype(object).where(parsed_again.frame.notna(), None)
    return sum(any(rule.broken(row) for rule in rules) for row in plain.to_dict("records"))


@pytest.mark.parametrize("seed", range(12))
def test_no_row_breaks_a_rule_that_can_hold(seed: int) -> None:
    assert not broken_rows(seed, QUICK[seed % len(QUICK)], rows=100)


@pytest.mark.long
def test_no_row_breaks_a_rule_in_a_thousand_sets() -> None:
    names = list(GENERATORS)
    broken, refused = 0, []
    for i in range(1_000):
        try:
            broken += broken_rows(1_000 + i, names[i % len(names)])
        except Mistake as mistake:
            assert "forbid everything" in str(mistake), mistake
            refused.append(i)
    assert broken == 0
    assert refused == [356], "only the largest value of a decimal column is left, which has no bin of its own"


class Stubborn:
    """A model whose records all have cells without values in order."""

    domain = Domain(("x", "y", "z"), (5, 5, 5))
    total, converged = 50.0, True

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        return np.zeros((rows, 3), dtype=np.int64)


def test_rules_hold_even_if_no_record_of_the_model_can_satisfy_them() -> None:
    """Three different numbers in order do not fit into a bin of two, but each pair does."""
    columns = [{"name": n, "kind": "integer", "min": 0, "max": 9, "bins": 5, "blank": False} for n in "xyz"]
    schema = load_schema({"name": "t", "population": "t", "unit": {"max_rows": 1}, "columns": columns})
    rules = parse_rules(["x < y", "y < z"], schema)
    axes = resolve_axes(schema, rules)
    codebook = Codebook(schema=schema, axes=axes, zeros=rules.zeros(axes))
    drawing = Drawing(model=Stubborn(), codebook=codebook, rules=rules, shares=(), seed=0)  # type: ignore[arg-type]
    codes, table = drawing.whole(50)
    assert (table.x < table.y).all() and (table.y < table.z).all() and codes.any()


def refused(seed: int) -> Any:
    document, sentences = invented.contradictory(seed)
    with pytest.raises(Mistake) as caught:
        parse_rules(sentences, load_schema(document))
    said = str(caught.value)
    assert said.endswith("No budget was spent.")
    named = [sentence for sentence in sentences if f"'{sentence}'" in said]
    for one in named:  # minimal: without any one of them, the others can hold
        parse_rules([sentence for sentence in named if sentence != one], load_schema(document))
    return named


@pytest.mark.parametrize("seed", range(10))
def test_contradictory_rules_are_refused_by_name(seed: int) -> None:
    assert refused(seed)


@pytest.mark.long
def test_two_hundred_contradictory_sets_are_refused() -> None:
    assert all(refused(random.Random(i).randrange(10**6)) for i in range(200))
