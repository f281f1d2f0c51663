"""The law of a choice, asked of the room as a mechanism asks: the exponential mechanism over every candidate.

The scores are computed here again from the rows. False-alarm rate of each test: 1e-8.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth.core.domain import Domain
from synth.core.schema import Schema, Unit
from synth.private.counting.codes import Codes
from synth.private.queries import Selection, selection
from synth.private.queries.selection import exponential
from synth.private.scores import SCALE, Dependence, InDif, L1Gap
from synth.private.session import PrivateSource
from tests.ledgers import Free

ALPHA = 1e-9
DRAWS = 1000
E_FOLDS = 2.5
"""How much likelier the best candidate is than the worst: so every one of them is drawn."""

NAMES = tuple(f"c{i:02}" for i in range(30))
DOMAIN = Domain(NAMES, (2,) * 30)
RNG = np.random.default_rng(11)
ROWS = (RNG.random((400, 30)) < np.linspace(0.02, 0.9, 30)).astype(np.int64)
ROWS[:, 1] = ROWS[:, 0] = RNG.integers(0, 2, 400)


def source(*, replaces: bool = False, max_rows: int = 1) -> PrivateSource:
    public, unit = len(ROWS) if replaces else None, Unit(max_rows=max_rows)
    schema = Schema(name="t", population="p", unit=unit, columns=(), rows_public=public)
    return PrivateSource(Codes.of(ROWS, DOMAIN), DOMAIN, Free(), schema=schema)


def table(clique: tuple[str, ...]) -> np.ndarray:
    columns = ROWS[:, [NAMES.index(name) for name in clique]]
    counts = np.zeros((2,) * len(clique))
    np.add.at(counts, tuple(columns.T), 1)
    return counts


def gaps() -> tuple[L1Gap, np.ndarray]:
    """Thirty candidates, from the best by far to those far below zero."""
    estimates, penalties = np.array([200.0, 200.0]), np.linspace(-60, 300, 30)
    score = L1Gap(tuple((n,) for n in NAMES), (estimates,) * 30, (1,) * 30, tuple(penalties))
    return score, np.array([np.abs(table((n,)) - estimates).sum() for n in NAMES]) - penalties


def pairs() -> tuple[tuple[str, str], ...]:
    return tuple((NAMES[0], name) for name in NAMES[1:])


def indifs() -> tuple[InDif, np.ndarray]:
    tables = [table(pair) for pair in pairs()]
    return InDif(pairs()), np.array([np.abs(t - np.outer(t.sum(1), t.sum(0)) / 400).sum() for t in tables])


def dependences() -> tuple[Dependence, np.ndarray]:
    """Every column given the first, as if each of its values were as frequent."""
    children = NAMES[1:]
    score = Dependence(pairs(), children, {child: np.ones(2) for child in children})
    return score, np.array(
        [np.abs(t - t.sum(1, keepdims=True) / 2).sum() for t in (table(p) for p in pairs())]
    )


SCORES = {"gaps": (gaps, 1), "indifs": (indifs, 4), "dependences": (dependences, 2)}
"""A score with its values in counts, and how far one row moves one of them."""


def law(values: np.ndarray, rho: float, swing: float) -> np.ndarray:
    weights = np.exp(np.sqrt(8 * rho) * (values - values.max()) / swing)
    return weights / weights.sum()


def fits(found: np.ndarray, chances: np.ndarray) -> float:
    """The p-value of these winners."""
    if found[chances == 0].any():
        return 0.0
    return float(stats.chisquare(found[chances > 0], chances[chances > 0] * found.sum()).pvalue)


CASES = [
    ("gaps", False, 1),
    ("gaps", True, 1),
    ("gaps", False, 3),
    ("indifs", True, 1),
    ("dependences", False, 1),
]


@pytest.mark.parametrize(("name", "replaces", "max_rows"), CASES)
def test_winners_follow_the_exponential_mechanism(name: str, replaces: bool, max_rows: int) -> None:
    make, change = SCORES[name]
    score, values = make()
    swing = 2 * change * max_rows * (2 if replaces else 1)
    rho = (E_FOLDS * swing / (values.max() - values.min())) ** 2 / 8
    private = source(replaces=replaces, max_rows=max_rows)
    winners = [private.ask([(Selection(score), rho)])[0].index for _ in range(DRAWS)]
    found = np.bincount(winners, minlength=len(values))
    assert fits(found, law(values, rho, swing)) > ALPHA
    assert fits(found, law(values, rho, swing / 2)) < ALPHA, "no power"
    best = np.where(values > np.sort(values)[len(values) // 3], values, -np.inf)
    assert fits(found, law(best, rho, swing)) < ALPHA, "no power against a draw from the better ones"


@pytest.mark.parametrize("weight", [1, 10**6], ids=["near", "hopeless"])
@pytest.mark.parametrize("name", SCORES)
def test_every_candidate_can_win(name: str, weight: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is left out by its exact score could be missing on one file and possible on its neighbour, and
    nothing that is drawn would ever show it."""
    score, values = SCORES[name][0]()
    if isinstance(score, L1Gap):
        score, values = replace(score, weights=(weight,) * len(values)), values * weight
    given: list[np.ndarray] = []

    def overheard(scores: np.ndarray, *args: Any, **named: Any) -> int:
        given.append(scores.copy())
        return exponential(scores, *args, **named)

    monkeypatch.setattr(selection, "exponential", overheard)
    source().ask([(Selection(score), 0.5)])
    np.testing.assert_allclose(given[0] / SCALE, values, atol=weight / SCALE)
