import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Refusal
from synth.core.schema import Column, Kind, Schema, Unit
from synth.private.queries import Marginal
from synth.private.replay import Entry, replay

DOMAIN = Domain(("a",), (3,))
SCHEMA = Schema(
    name="t", population="p", unit=Unit(max_rows=1), columns=(Column(name="a", kind=Kind.CATEGORY),)
)


def entry(units: int, *counts: int, part: str = "mechanism") -> Entry:
    answer = np.array(counts, dtype="<i8").tobytes()
    return Entry(part=part, query={"ask": "measure", "clique": ["a"]}, units=units, answer=answer)


TAPE = [entry(10**11, 5, -1, 2), entry(1, part="preprocess")]


def test_the_same_question_gets_the_stored_answer_without_a_table() -> None:
    source = replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA)
    assert source.left.rho == pytest.approx(0.1)
    measured = source.ask([(Marginal(("a",)), 0.1)])[0]
    assert measured.counts.tolist() == [5, -1, 2] and measured.variance == 5
    assert source.left.rho == 0.0


def test_any_other_question_or_price_is_refused() -> None:
    for rho in (0.2, 0.01):
        with pytest.raises(Refusal):
            replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA).ask([(Marginal(("a",)), rho)])[0]
    source = replay(TAPE, DOMAIN, part="mechanism", schema=SCHEMA)
    source.ask([(Marginal(("a",)), 0.1)])
    with pytest.raises(Refusal):
        source.ask([(Marginal(("a",)), 0.1)])


def three() -> list[Entry]:
    """Three queries; the last one took the rest of its part."""
    return [entry(units, units, 0, 1) for units in (10**11, 3 * 10**11 + 1, 77)]


def test_a_batch_is_replayed_one_after_the_other() -> None:
    source = replay(three(), DOMAIN, part="mechanism", schema=SCHEMA)
    rhos = [0.1, 0.3]
    asked = [(("a",), rho) for rho in (*rhos, source.left.after(rhos).rho)]
    assert source.left.after(rhos).rho == pytest.approx(77e-12)
    measured = source.ask([(Marginal(r), rho) for r, rho in asked])
    assert (
        [m.counts.tolist()[0] for m in measured] == [m.units for m in measured] == [e.units for e in three()]
    )
    assert [m.step for m in measured] == [0, 1, 2] and source.left.rho == 0


@pytest.mark.parametrize("rhos", [(0.1, 0.2), (0.1, 0.3, 77e-12, 1e-12)])
def test_a_batch_with_another_question_is_refused_as_a_whole(rhos: tuple[float, ...]) -> None:
    source = replay(three(), DOMAIN, part="mechanism", schema=SCHEMA)
    with pytest.raises(Refusal):
        source.ask([(Marginal(r), rho) for r, rho in [(("a",), rho) for rho in rhos]])
    assert source.ask([(Marginal(("a",)), 0.1)])[0].step == 0
