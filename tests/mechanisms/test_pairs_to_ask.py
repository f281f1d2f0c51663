"""What the steps of Blend share: prices by parts, questions by codes, progress by what is spent."""

from __future__ import annotations

import numpy as np
import pytest

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.measurements.noisy import Measurement, NoisyNumbers
from synth.core.progress import Progress
from synth.mechanisms.base import Problem
from synth.mechanisms.first_look import first_look
from synth.mechanisms.pairs_to_ask import PairsToAsk
from synth.mechanisms.selection.workload import Workload
from synth.models.coarse import Coarsening
from synth.private.counting.codes import Codes
from synth.private.exact import Exact


def pairs_of(codes: int, heard: list[Progress]) -> PairsToAsk:
    domain = Domain(("a", "b", "c"), (codes,) * 3)
    rows = np.random.default_rng(0).integers(0, codes, (500, 3))
    source = Exact(Codes.of(rows, domain), domain, rho=0.1)
    problem = Problem(
        workload=Workload.all_kway(domain, 2), codebook=Codebook.plain(domain), report=heard.append
    )
    look = first_look(source, problem, interactions=codes <= 3)
    return PairsToAsk(
        source=source,
        problem=problem,
        look=look,
        coarsening=Coarsening(domain, ()),
        parts={("a", "b"): 1.0, ("b", "c"): 3.0},
        budget=0.1,
    )


def test_prices_follow_the_parts_and_the_last_takes_what_is_left() -> None:
    heard: list[Progress] = []
    pairs = pairs_of(5, heard)
    left = pairs.left
    first = pairs.ask(left / 4, parts=pairs.parts)
    assert [a.units for a in first] == pytest.approx([left / 16 * 1e12, 3 * left / 16 * 1e12], abs=2)
    assert heard[-1].done == pytest.approx(1 - left / 0.1) and pairs.done > heard[-1].done
    pairs.ask(pairs.left, parts=pairs.parts)
    assert pairs.left == pytest.approx(0, abs=1e-15) and pairs.done == pytest.approx(1)


def test_tables_are_asked_of_many_codes_and_interactions_of_few() -> None:
    for codes, kind in ((4, Measurement), (3, NoisyNumbers)):
        pairs = pairs_of(codes, [])
        assert {type(a) for a in pairs.ask(pairs.left, parts=pairs.parts)} == {kind}


def test_three_columns_are_an_interaction_if_all_their_pairs_are_asked() -> None:
    pairs = pairs_of(2, [])
    every = {("a", "b"): 1.0, ("a", "c"): 1.0, ("b", "c"): 1.0, ("a", "b", "c"): 1.0}
    *_, whole = pairs.ask(pairs.left / 2, parts={**pairs.parts, ("a", "b", "c"): 1.0})
    *_, beyond = pairs.ask(pairs.left, parts=every)
    assert isinstance(whole, Measurement) and isinstance(beyond, NoisyNumbers)


def test_what_is_known_is_all_that_was_asked() -> None:
    heard: list[Progress] = []
    pairs = pairs_of(5, heard)
    first = pairs.ask(pairs.left / 2, parts=pairs.parts)
    known = pairs.known_with(first)
    assert {m.clique for m in known.measurements} >= {("a",), ("b",), ("c",), ("a", "b"), ("b", "c")}
    assert heard[-1].stage == "fit"
