import pytest

from synth.core.domain import Domain


def test_a_clique_is_put_in_domain_order_and_loses_repeats() -> None:
    domain = Domain(("b", "a", "c"), (2, 3, 4))
    assert domain.clique(["c", "b", "c"]) == ("b", "c")
    assert domain.axes(("a", "c")) == (1, 2)
    assert domain.shape(("c", "b")) == (4, 2)
    assert domain.size() == 24
    assert domain.project(("c",)) == Domain(("c",), (4,))
    assert domain.with_sizes({"a": 2}) == Domain(("b", "a", "c"), (2, 2, 4))
    assert "a" in domain and "z" not in domain


@pytest.mark.parametrize("names, sizes", [(("a",), ()), (("a", "a"), (1, 2)), (("a",), (0,))])
def test_a_domain_that_makes_no_sense_is_refused(names: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        Domain(names, sizes)
