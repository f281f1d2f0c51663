"""The declared budget split of a mechanism compared with the budget that it spends."""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.options import option
from synth.mechanisms import MECHANISMS
from synth.mechanisms.aim import AIM
from synth.mechanisms.independent import Independent
from synth.mechanisms.shared.base import Mechanism, Prospect, check_options
from synth.mechanisms.shared.division import Division, adjustable, divided, division_of
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(tuple("abcde"), (2, 3, 4, 5, 6))
KNOWN = Prospect(sizes=DOMAIN.sizes, rows=4_000, sigma=0.5**0.5)
"""The public facts before the runs of `spent`."""


def columns(count: int) -> Prospect:
    return Prospect(sizes=(5,) * count)


def spent(mechanism: Mechanism) -> Division:
    """Return the budget shares that a run on data without noise actually spends."""
    rng = np.random.default_rng(0)
    rows = np.stack([rng.integers(0, size, 4_000) for size in DOMAIN.sizes], axis=1)
    rows[:, 4] = rows[:, 3]
    source = exact(rows, DOMAIN, rho=1.0)
    fitted = mechanism.run(source, problem_about(DOMAIN), rng=rng)
    requested = [*fitted.evidence.choices, *fitted.evidence.scores]
    choosing = sum(a.units for a in requested)
    first = min((a.step for a in requested), default=10**9)
    columns = sum(m.units for m in fitted.evidence.measurements if len(m.clique) == 1 and m.step < first)
    stated = (*fitted.evidence.measurements, *fitted.evidence.numbers, *fitted.evidence.trained)
    relations = sum(a.units for a in stated) - columns
    whole = columns + choosing + relations
    return Division(columns=columns / whole, choosing=choosing / whole, relations=relations / whole)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_parts_are_the_whole(name: str) -> None:
    said = division_of(MECHANISMS[name](), columns(12))
    assert said is not None
    assert min(said.columns, said.choosing, said.relations) >= 0
    assert said.columns + said.choosing + said.relations == pytest.approx(1)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_said_is_what_is_spent(name: str) -> None:
    said, done = division_of(MECHANISMS[name](), KNOWN), spent(MECHANISMS[name]())
    assert said is not None
    assert done.columns == pytest.approx(said.columns, abs=0.02)
    assert done.choosing == pytest.approx(said.choosing, abs=0.05)  # a last round may have no choice to make


@pytest.mark.parametrize("name", MECHANISMS)
def test_even_weights_change_nothing(name: str) -> None:
    mechanism = MECHANISMS[name]()
    said = division_of(mechanism, columns(9))
    if said is not None:
        assert divided(mechanism, said, columns(9)) == mechanism


def test_weights_move_the_real_spending() -> None:
    base = division_of(AIM(), KNOWN)
    assert base is not None
    wanted = base.weighted(columns=4, choosing=2, relations=1)
    changed = divided(AIM(), wanted, KNOWN)
    done = spent(changed)
    assert done.columns == pytest.approx(wanted.columns, abs=0.02) and wanted.columns > 2 * base.columns
    assert done.choosing > 1.2 * spent(AIM()).choosing
    again = division_of(changed, KNOWN)
    assert again is not None and again.columns == pytest.approx(wanted.columns, abs=1e-3)


def test_shares_stay_inside_the_bounds_of_the_options() -> None:
    narrow = divided(AIM(), Division(columns=0.99, choosing=0.0099, relations=0.0001), KNOWN)
    choosy = divided(AIM(), Division(columns=0.1, choosing=0.8, relations=0.1), KNOWN)
    assert isinstance(narrow, AIM) and isinstance(choosy, AIM)
    assert narrow.columns_share == 0.9 and choosy.alpha == 0.5


@pytest.mark.parametrize("name", [name for name, kind in MECHANISMS.items() if adjustable(kind())])
def test_however_the_parts_are_weighed_something_is_left_to_measure_with(name: str) -> None:
    for sizes, rows, sigma in (((2,) * 5, 100, 50.0), ((100,) * 20, 10**6, 2.0), ((30,) * 3, 1000, 3000.0)):
        prospect = Prospect(sizes=sizes, rows=rows, sigma=sigma)
        own = division_of(MECHANISMS[name](), prospect)
        assert own is not None
        for columns, choosing, relations in product((0.5, 1, 4), repeat=3):
            wanted = own.weighted(columns=columns, choosing=choosing, relations=relations)
            check_options(divided(MECHANISMS[name](), wanted, prospect))


@dataclass(frozen=True, kw_only=True)
class Halfway(Independent):
    """A mechanism that declares the share of its columns, but no other share."""

    share: float = option(0.3, label="Columns", help="", low=0.1, high=0.9, part="columns")

    chooses: ClassVar[bool] = True

    def first_pass(self, prospect: Prospect) -> float | None:
        return None


def test_half_of_an_answer_is_none() -> None:
    assert division_of(Halfway(), KNOWN) is None and adjustable(Halfway()) == ()


def test_what_cannot_be_moved_is_left_alone() -> None:
    assert adjustable(Independent()) == () and adjustable(AIM()) == ("columns", "choosing", "relations")
    assert division_of(Independent(), columns(3)) == Division(columns=1.0, choosing=0.0, relations=0.0)
