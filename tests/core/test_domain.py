import pytest

from synth.core.domain import Domain


@pytest.mark.parametrize("names, sizes", [(("a",), ()), (("a", "a"), (1, 2)), (("a",), (0,))])
def test_a_domain_that_makes_no_sense_is_refused(names: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        Domain(names, sizes)
