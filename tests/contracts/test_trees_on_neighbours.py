"""PrivTree as the pipeline asks for it: the exact law of the answer, on neighbours of either relation.

Every way in which the coins of an answer can fall is played through the room, with its exact probability. So
the law is that of the code, whatever the code does with its coins, and not of a formula written beside it.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache

import pytest

from synth.core.accounting import ZCDP
from synth.core.discretisation import resolve_axes
from synth.core.schema import Binning, Column, Kind, Schema, Unit
from synth.private.domains.buy import buy_groupings
from synth.private.entropy import Entropy
from synth.private.ledger import Ask
from synth.private.queries import TreeQuery, tree
from synth.private.session import PrivateSession
from synth.private.table import PrivateTable
from synth.rules import parse_rules

Chances = dict[bytes, float]


class Coins(Entropy):
    """Fair bits and coins of probability exp(-gamma) that fall in every way, one way after the other."""

    def law(self, answer: Callable[[], bytes]) -> Chances:
        """The probability of every answer."""
        found: Counter[bytes] = Counter()
        self.waiting: list[tuple[bool, ...]] = [()]
        while self.waiting:
            self.path, self.at, self.chance = self.waiting.pop(), 0, 1.0
            stated = answer()
            found[stated] += self.chance
        return dict(found)

    def flip(self, heads: float, tails: float) -> bool:
        if self.at == len(self.path):
            if min(heads, tails) > 0:
                self.waiting.append((*self.path, tails > heads))
            self.path = (*self.path, heads >= tails)
        falls = self.path[self.at]
        self.at += 1
        self.chance *= heads if falls else tails
        return falls

    def bytes(self, n: int) -> bytes:
        return bytes([255 * self.flip(0.5, 0.5) for _ in range(n)])

    def bernoulli_exp(self, gamma: Fraction, *, entropy: Entropy) -> bool:
        assert entropy is self
        return self.flip(math.exp(-gamma), -math.expm1(-gamma))


class Payer:
    """Pays for one question; what it hands out is a tree of one leaf, and the law is kept."""

    part, step, law = "preprocess", 0, ZCDP

    def __init__(self, coins: Coins, units: int) -> None:
        self.coins, self.left = coins, units
        self.chances: Chances = {}

    def ask_all(self, asks: Sequence[Ask]) -> tuple[bytes, ...]:
        (ask,) = asks
        self.chances, self.left = self.coins.law(ask.answer), self.left - ask.units
        return (b"[0]",)


def schema(cells: int, *, replaces: bool, max_rows: int = 1) -> Schema:
    column = Column(name="x", kind=Kind.INTEGER, min=0, max=cells - 1, binning=Binning.PRIVTREE)
    public, unit = 10 if replaces else None, Unit(max_rows=max_rows)
    return Schema(name="t", population="p", unit=unit, columns=(column,), rows_public=public)


def law_of(declared: Schema, counts: Sequence[int], units: int) -> Chances:
    """The law of the tree over a file with so many rows in each cell, for all of a price."""
    texts = [str(i) for i, n in enumerate(counts) for _ in range(n)]
    coins = Coins()
    payer = Payer(coins, units)
    made = PrivateSession(PrivateTable.of({"x": texts}, declared), declared, None, "r", entropy=coins)
    rules = parse_rules([], declared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "bernoulli_exp", coins.bernoulli_exp)
        buy_groupings(made, resolve_axes(declared, rules), payer, schema=declared, rules=rules)
    assert payer.left == 0
    assert sum(payer.chances.values()) == pytest.approx(1.0, abs=1e-12)
    return payer.chances


def span(one: Chances, two: Chances) -> float:
    """The length of the interval of the log ratios of all answers' probabilities."""
    assert one.keys() == two.keys(), "a tree that one of the files cannot have"
    ratios = [math.log(one[tree] / two[tree]) for tree in one]
    return max(ratios) - min(ratios)


def moves(cells: int, *, replaces: bool, max_rows: int = 1) -> Iterator[Counter[int]]:
    """What one unit changes in the counts: rows that come, and rows that go if a unit is replaced."""
    for come in itertools.combinations_with_replacement(range(cells), max_rows):
        for go in itertools.combinations_with_replacement(range(cells), max_rows if replaces else 0):
            change = Counter(come)
            change.subtract(go)
            yield change


RELATIONS = {
    "a row more": ({"replaces": False}, 1),
    "another row": ({"replaces": True}, 2),
    "two rows more": ({"replaces": False, "max_rows": 2}, 2),
}
"""What one unit may do, and how many rows that moves."""
EVERY = pytest.mark.parametrize("relation", RELATIONS)
RANGE, UNITS = 4.0, 2 * 10**12


@EVERY
@pytest.mark.parametrize("length", [1.0, RANGE])
def test_one_unit_moves_a_tree_by_no_more_than_its_price(relation: str, length: float) -> None:
    declared = schema(4, **RELATIONS[relation][0])
    law = cache(lambda counts: law_of(declared, counts, math.floor(length**2 / 8 * 10**12)))
    worst = 0.0
    for counts in [(0, 0, 0, 0), (1, 0, 0, 3), (9, 0, 2, 0)]:
        for change in moves(4, **RELATIONS[relation][0]):
            other = tuple(n + change[i] for i, n in enumerate(counts))
            if min(other) >= 0:
                worst = max(worst, span(law(counts), law(other)))
    assert 0.3 * length < worst <= length * (1 + 1e-9)


def worst_row(declared: Schema) -> float:
    """What one row of a unit tells at most: into an empty cell, and beside others in a cell that is split off
    sooner and sooner."""
    law = cache(lambda counts: law_of(declared, counts, UNITS))
    files = [(n, *(0,) * 7) for n in range(6)]
    pairs = [*itertools.pairwise(files), ((0,) * 8, (*(0,) * 7, 1)), (files[4], (4, *(0,) * 6, 1))]
    return max(span(law(one), law(two)) for one, two in pairs)


@pytest.mark.parametrize(
    "relation",
    ["another row", *(pytest.param(n, marks=pytest.mark.long) for n in ("a row more", "two rows more"))],
)
def test_every_row_of_a_unit_has_its_share_of_the_price(relation: str) -> None:
    """The proof adds the rows of a unit up one by one, so each may tell as much as all but one leave it."""
    stated, rows = RELATIONS[relation]
    assert 0.5 * RANGE / rows < worst_row(schema(8, **stated)) <= RANGE / rows * (1 + 1e-9)


@pytest.mark.parametrize("relation", ["another row", pytest.param("two rows more", marks=pytest.mark.long)])
def test_noise_for_one_row_would_be_found_too_small(relation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = TreeQuery.scale.fget
    assert honest is not None
    monkeypatch.setattr(TreeQuery, "scale", property(lambda question: honest(question) / question.change))
    stated, rows = RELATIONS[relation]
    assert worst_row(schema(8, **stated)) > RANGE / rows * 1.1
