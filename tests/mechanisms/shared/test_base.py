import pytest

from synth.core.domain import Domain
from synth.core.options import options_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.aim import AIM
from synth.mechanisms.independent import Independent
from synth.mechanisms.shared.recipe import followers
from synth.models.registry import GENERATORS


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_larger_table_has_a_longer_outlook(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # networks of their own size
    small, large = Domain(("a", "b"), (2, 3)), Domain(tuple("abcdefgh"), (9,) * 8)
    found = [MECHANISMS[name]().outlook(domain, k=2) for domain in (small, large)]
    assert (found[0] is None) == (found[1] is None)
    if found[0] is not None and found[1] is not None:
        assert 0 < found[0].fastest < found[1].fastest <= found[1].slowest
        assert 0 < found[0].model_mb <= found[1].model_mb


@pytest.mark.parametrize("name", MECHANISMS)
def test_another_generator_takes_a_fit_more_or_is_not_timed(name: str) -> None:
    mechanism, domain = MECHANISMS[name](), Domain(tuple("abcd"), (4,) * 4)
    own = mechanism.outlook(domain, k=2)
    for follower in followers(MECHANISMS[name])[1:]:
        generator = GENERATORS[follower]()
        by, fit = mechanism.outlook_by(generator, domain, k=2), generator.seconds(domain)
        assert fit is None or 0 < fit[0] <= fit[1]
        assert (by is None) or (own is not None and 0 < by.fastest <= by.slowest)


def test_a_fast_option_is_a_generator_that_may_follow() -> None:
    assert all(kind.fast is None or kind.fast in followers(kind) for kind in MECHANISMS.values())


def test_a_limit_is_read_from_the_option_that_states_it() -> None:
    assert AIM().most_cells == 8 * 2**17 and Independent().most_cells is None
    assert AIM(capacity_mb=0.5).most_cells == 2**16


def test_the_form_knows_every_option_with_its_range() -> None:
    fields = {f.name: f.metadata for f in options_of(AIM)}
    assert set(fields) == {"rounds", "alpha", "columns_share", "capacity_mb"}
    assert fields["alpha"]["low"] < AIM().alpha < fields["alpha"]["high"]


def test_the_registry_is_keyed_by_the_names_people_type() -> None:
    assert set(MECHANISMS) >= {"aim", "independent"}
    assert all(MECHANISMS[name].name == name for name in MECHANISMS)
