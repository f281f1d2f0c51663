from synth.core.domain import closure, maximal, subsets


def test_closure_is_downward_closed_and_has_no_repeats() -> None:
    members = closure([("a", "b", "c"), ("b", "c"), ("c", "d")])
    assert len(members) == len(set(members)) == 9
    for clique in members:
        assert all(part in members for part in subsets(clique))
    assert [len(c) for c in members] == sorted(len(c) for c in members)


def test_maximal_keeps_what_lies_in_nothing_else() -> None:
    assert maximal([("a",), ("b",), ("a", "b"), ("a", "b"), ("c", "d")]) == [("a", "b"), ("c", "d")]
