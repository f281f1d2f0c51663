"""The pairs in a sentence."""

from __future__ import annotations

from dataclasses import replace

from synth.app.project.results.pairs import PairTable, PairView
from synth.app.project.results.released import GROUPS, PairBound
from synth.app.ui.text import pairs as text


def test_one_pair_is_not_compared_with_itself() -> None:
    assert text.in_short([("a b", 0.5)], merged=0, without=0) == "Surest: **a b** (at most 50.0 %)."


def test_nothing_promised_is_said_alone() -> None:
    assert text.in_short([], merged=0, without=3) == "Nothing is promised about 3 pairs."
    assert text.in_short([], merged=0, without=0) == ""


def test_every_pair_is_counted_once_by_what_its_bound_rests_on() -> None:
    said = text.supports(measured=40, grouped=0, inferred=30, merged=2, unasked=1106)
    assert said.startswith("Of 1,178 pairs 40 were measured in all their values. For 30 a bound follows")
    assert (
        "For 2 a bound for groups of values only follows from what was chosen or scored" in said
        and "For 1,106 no answer" in said
    )
    lost = text.supports(measured=1, grouped=0, inferred=0, merged=0, unasked=0, incomplete=2)
    assert lost.startswith("Of 3 pairs 1 was") and "For 2 it is not known" in lost
    assert (
        text.supports(measured=1, grouped=0, inferred=0, merged=0, unasked=0)
        == "Of 1 pair 1 was measured in all their values."
    )


def test_counts_in_groups_of_values_are_not_called_counts_in_all_values() -> None:
    """A pair that was counted in groups of values has a bound in its own, and no count to show beside it."""
    bound = PairBound(
        clique=("a", "b"), left="a", right="b", kind="measured", share=0.24, coarse=0.11, counted=True
    )
    table = PairTable(down=("x",), across=("y",), synthetic=None, noisy=None, reach=0.0)  # type: ignore[arg-type]
    view = PairView(bound=bound, own=table, merged=table, total=100.0, people=False, confidence=0.95)
    said = text.known(view)
    assert "**Measured in groups of values**" in said and "at most **11.0 %**" in said
    assert text.cells(view, table).startswith("Synthetic rows, weighed to 100 rows. No count in these values")
    assert text.cells(replace(view, weighed=False), table).startswith("Synthetic rows. No count")
    fine = text.known(replace(view, bound=replace(bound, coarse=None)))
    assert "**Measured**" in fine and "groups" not in fine
    assert text.supports(measured=6, grouped=20, inferred=0, merged=0, unasked=0).startswith(
        "Of 26 pairs 6 were measured in all their values, 20 in groups of them."
    )


def test_a_pair_is_never_called_counted_and_not_counted() -> None:
    bound = PairBound(clique=("a", "b"), left="a", right="b", kind="inferred", share=0.4, coarse=0.13)
    table = PairTable(down=("x",), across=("y",), synthetic=None, noisy=None, reach=0.0)  # type: ignore[arg-type]
    said = text.known(PairView(bound=bound, own=table, merged=None, total=9.0, people=True, confidence=0.95))
    assert "its counts were not bought" in said and "counted in" not in said
    assert "For the groups of values it was chosen or scored in, at most **13.0 %**" in said


def test_pairs_counted_in_groups_are_counted_so_whatever_follows_from_it() -> None:
    said = text.supports(measured=28, grouped=102, grouped_only=30, inferred=4, merged=2, unasked=0)
    assert said.startswith("Of 166 pairs 28 were measured in all their values, 132 in groups of them.")
    assert "Of those in groups 30 have a bound for the groups alone." in said


def test_a_bound_is_a_share_of_rows() -> None:
    """Of people only where each has one row."""
    assert "share of rows" in text.note(5, confidence="95 %") and "people" not in text.note(
        5, confidence="95 %"
    )


def test_a_bound_for_groups_of_values_is_told_as_such() -> None:
    """Not as no bound: something is promised, of the groups."""
    bound = PairBound(clique=("a", "b"), left="a", right="b", kind=GROUPS, share=None, coarse=0.11)
    table = PairTable(down=("x",), across=("y",), synthetic=None, noisy=None, reach=0.0)  # type: ignore[arg-type]
    said = text.known(PairView(bound=bound, own=table, merged=table, total=9.0, people=True, confidence=0.95))
    assert "**A bound for groups of values only**" in said and "at most **11.0 %** of the people" in said
    assert "No bound" not in said
    short = text.in_short([], merged=398, without=2)
    assert short == (
        "Of 398 pairs there is a bound for groups of values only. Nothing is promised about 2 pairs."
    )
