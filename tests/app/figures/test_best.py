from __future__ import annotations

from synth.app.figures.best import TIGHT, level, marked


def test_what_the_noise_cannot_tell_apart_shares_the_place() -> None:
    near = level([1.0, 1.4, 3.0, None], key=float, ties=lambda a, b: abs(a - b) < 0.5)
    assert near == {0, 1}
    assert level([1.0, None], key=float, ties=lambda a, b: True) == frozenset()


def test_the_best_is_named_by_word_and_weight_unless_all_are() -> None:
    assert marked(["1", "2", "1"], frozenset({0, 2})) == [
        f"**1** (among{TIGHT}the{TIGHT}best)",
        "2",
        f"**1** (among{TIGHT}the{TIGHT}best)",
    ]
    assert marked(["1", "1"], frozenset({0, 1})) == ["1", "1"]
    assert marked(["1", "2"], frozenset()) == ["1", "2"]
