from __future__ import annotations

from dataclasses import replace

from synth.bench.trials.trial import Part, Trial

USUAL = Trial(part=Part.MECHANISM, table="adult", method="aim", epsilon=1.0, delta=1e-9)


def test_whatever_changes_the_figures_changes_the_key() -> None:
    others = [
        replace(USUAL, part=Part.COMMAND),
        replace(USUAL, table="nltcs"),
        replace(USUAL, method="mst"),
        replace(USUAL, epsilon=0.1),
        replace(USUAL, delta=1e-5),
        replace(USUAL, run=1),
        replace(USUAL, workload=3),
        replace(USUAL, aim="target"),
        replace(USUAL, rules=True),
        replace(USUAL, options={"capacity": 4}),
        replace(USUAL, generator_options={"steps": 4}),
    ]
    assert len({USUAL.key, *(other.key for other in others)}) == len(others) + 1


def test_how_long_it_may_take_does_not() -> None:
    assert replace(USUAL, limit=1.0).key == USUAL.key


def test_where_it_leaves_what_it_goes_on_from_does_not() -> None:
    assert replace(USUAL, folder="/somewhere").key == USUAL.key


def test_it_tells_what_it_is() -> None:
    assert str(USUAL) == "adult, aim, epsilon 1, run 0 (mechanism)"
    assert "target-3way, rules" in str(replace(USUAL, aim="target", workload=3, rules=True))
