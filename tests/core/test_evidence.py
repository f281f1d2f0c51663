from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from synth.core.codebook import Codebook
from synth.core.domain import Domain
from synth.core.evidence import COMPARISON, Evidence
from synth.core.measurements.noisy import Choice, Measurement, NoisyNumbers, NoisyScores
from synth.core.zeros import Zero
from synth.private.scores import InDif
from tests.models.examples import measurement

DOMAIN = Domain(("a", "b"), (2, 3))
ZERO = Zero(("a",), np.array([False, True]))


def measured(step: int, part: str = "mechanism") -> Measurement:
    return measurement(("a",), [3, 4], units=2, step=step, part=part)


@dataclass(frozen=True)
class Moment:
    """A kind of answer that this program does not know yet."""

    part: str = "mechanism"
    step: int = 9
    units: int = 1


def test_each_reader_finds_its_kind_of_answer_in_the_order_asked() -> None:
    score = InDif((("a", "b"),))
    stated = {"units": 1, "part": "mechanism"}
    choice = Choice(score=score, index=0, epsilon=1.0, swing=1, step=1, **stated)
    scores = NoisyScores(score=score, values=np.zeros(1), variance=Fraction(1), step=2, **stated)
    sums = NoisyNumbers(
        requested={"ask": "sum"}, values=np.array([7]), variance=Fraction(1), step=4, **stated
    )
    first, second, apart = measured(0), measured(3), measured(0, COMPARISON)
    codebook = Codebook.plain(DOMAIN, zeros=[ZERO], ordered={"b": 3})
    evidence = Evidence(codebook=codebook, answers=(first, choice, scores, second, sums, Moment()), total=7.0)
    whole = evidence.joined([apart])
    assert whole.measurements == evidence.measurements == (first, second)
    assert whole.choices == (choice,) and whole.scores == (scores,)
    assert whole.numbers == (sums,)
    assert whole.held_back == (apart,) and evidence.held_back == ()
    assert sum(answer.units for answer in whole.answers) == 10
    assert whole.total_sd == evidence.total_sd == first.sigma  # two tables of two cells each
    known = replace(codebook, schema=replace(codebook.schema, rows_public=7))
    assert replace(whole, codebook=known).total_sd == 0.0
    assert (whole.domain, whole.zeros, whole.ordered, whole.total) == (DOMAIN, (ZERO,), {"b": 3}, 7.0)


def test_tables_of_many_columns_are_tilings_where_a_column_was_cut_in_two_ways() -> None:
    def table(*groups: tuple[int, ...], step: int) -> Measurement:
        """A table of the columns a, b and c, of which the first ones are in groups."""
        shape = [max(g) + 1 for g in groups] + [3] * (3 - len(groups))
        return measurement(
            ("a", "b", "c"),
            np.zeros(shape, dtype=np.int64),
            step=step,
            groups=dict(zip("abc", groups, strict=False)),
        )

    pair = measurement(("a", "b"), np.zeros((2, 3), dtype=np.int64), step=0, groups={"a": (0, 0, 1)})
    codebook = Codebook.plain(Domain(("a", "b", "c"), (3, 3, 3)))
    one, same, other = table((0, 1, 1), step=1), table((0, 1, 1), (0, 1, 1), step=2), table((0, 0, 1), step=3)
    plain = Evidence(codebook=codebook, answers=(one, same), total=7.0)
    assert plain.tilings == () and plain.measurements == (one, same)
    assert plain.untiled().answers == plain.answers
    tiled = plain.joined([other])
    assert tiled.tilings == (one, same, other) and tiled.measurements == ()
    assert tiled.untiled().answers == ()
    beside = plain.joined([pair])
    assert beside.tilings == (one, same), "since the pair has a column in other groups"
    assert beside.measurements == (pair,)
    alike = Evidence(codebook=codebook, answers=(pair, other), total=7.0)
    assert alike.measurements == (pair, other)
