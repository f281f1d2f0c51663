"""Random planes in the requested columns, placed where the noisy columns indicate records."""

import numpy as np
import pytest

from synth.core.axis import Axis
from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.measurements.half_spaces import HalfSpaces
from synth.core.schema import Column, Kind, Schema, Unit
from synth.mechanisms.selection.half_spaces import INNER, declared_places, drawn_half_spaces

DOMAIN = Domain(("a", "b", "c"), (4, 3, 2))
PLACES = ((0, 85, 170, 255), (), ())
COLUMNS = {"a": np.array([10.0, 20, 30, 40]), "b": np.array([-5.0, 50, 50]), "c": np.array([60.0, 40])}


def drawn(seed: int = 0, *, label: str = "", order: int = 0, many: int = 200) -> HalfSpaces:
    rng = np.random.default_rng(seed)
    return drawn_half_spaces(DOMAIN, COLUMNS, places=PLACES, label=label, many=many, order=order, rng=rng)


def test_they_are_half_spaces_of_the_domain_and_follow_from_the_generator() -> None:
    spaces = drawn()
    assert spaces.fits(DOMAIN) and len({*spaces.directions}) == 200
    assert spaces == drawn() and spaces != drawn(1)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_planes_go_through_as_many_columns_as_asked_and_never_the_label(order: int) -> None:
    spaces = drawn(order=order, label="c")
    assert spaces.fits(DOMAIN) and spaces.label == "c"
    steps = np.array(spaces.directions)
    assert steps.shape == (200, 4)
    touched = (steps[:, :1].any(axis=1).astype(int) + steps[:, 1:].any(axis=1)).tolist()
    assert max(touched) == (order or 2) and sum(touched) > 0.9 * 200 * (order or 2)


def test_thresholds_lie_among_records_with_these_columns_whatever_noise_put_below_zero() -> None:
    """Nearly every plane has at least a tenth of the independent records on each side, apart from ties."""
    rng = np.random.default_rng(5)
    rows = [rng.choice(len(c), 20_000, p=np.maximum(c, 0) / np.maximum(c, 0).sum()) for c in COLUMNS.values()]
    spaces = drawn()
    above = (spaces.sides(rows, DOMAIN.sizes)[0] / 20_000 + 1) / 2
    assert (above <= 1 - INNER[0] + 0.03).all()
    assert above.std() > 0.15, "and they lie here and there"


def test_there_is_no_plane_without_a_column() -> None:
    with pytest.raises(ValueError, match="besides the label"):
        drawn_half_spaces(
            Domain(("a",), (3,)), {}, places=((),), label="a", many=1, order=0, rng=np.random.default_rng(0)
        )


def test_places_are_the_middles_of_declared_bins() -> None:
    pay = Column(name="pay", kind=Kind.DECIMAL)
    axes = (Axis(column=pay, edges=(0.0, 10.0, 20.0, 100.0)), Axis(column=pay, labels=("x", "y")))
    book = Codebook(schema=Schema(name="t", population="p", unit=Unit(max_rows=1), columns=(pay,)), axes=axes)
    found = declared_places(book, ((0, 102, 204, 255), (0, 255)))
    assert found == ((0, round(10 / 55 * 204), 204, 255), (0, 255)), "those beside the order stay"
    assert declared_places(book, ((), (0, 255)))[0] == ()
