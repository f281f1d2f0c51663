"""Test the valid requests, and that all interfaces have the same defaults."""

import inspect
from dataclasses import replace

import pytest

import synth
from synth.app.project.store import Method
from synth.cli.parser import parse
from synth.core.errors import Mistake
from synth.core.request import METHOD, Request
from synth.mechanisms import MECHANISMS

USUAL = Request(epsilon=1.0, delta=1e-9)


def test_everybody_has_the_same_method_in_mind_and_it_exists() -> None:
    assert parse(["release"]).method is None, "what is not typed has the default of a request"
    called = inspect.signature(synth.synthesize).parameters["method"].default
    assert {USUAL.method, Method().name, called, next(iter(MECHANISMS))} == {METHOD}


def test_the_terms_make_an_equal_request() -> None:
    requested = replace(USUAL, rows=3, options={"clique_cells": 9}, verdict=0.1)
    assert Request(**requested.terms()) == requested != USUAL


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"epsilon": 0.0}, "you gave 0.0"),
        ({"epsilon": float("nan")}, "you gave nan"),
        ({"epsilon": float("inf")}, "you gave inf"),
        ({"epsilon": 1_000.1}, r"at most 1,000 \(you gave 1000.1\)"),
        ({"epsilon": 1e5}, "you gave 100000"),
        ({"delta": 0.0}, "you gave 0.0"),
        ({"delta": 1.0}, "you gave 1.0"),
        ({"rows": -5}, "you gave -5"),
        ({"rows": 0}, "at least 1"),
        ({"workload": 7}, "you gave 7"),
        ({"confidence": 1.0}, "you gave 1.0"),
        ({"confidence": 0.4}, "you gave 0.4"),
        ({"verdict": 0.5}, "you gave 0.5"),
        ({"verdict": -0.1}, "you gave -0.1"),
        ({"preprocess_share": 0.0}, "you gave 0.0"),
        ({"shares_part": 0.0}, "you gave 0.0"),
        ({"shares_part": 0.11}, "you gave 0.11"),
    ],
)
def test_impossible_requests_are_refused_with_what_was_typed(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(Mistake, match=words):
        replace(USUAL, **wrong)  # type: ignore[arg-type]
