from synth.mechanisms import MECHANISMS
from synth.mechanisms.aim import AIM
from synth.mechanisms.base import options_of


def test_the_form_knows_every_option_with_its_range() -> None:
    fields = {f.name: f.metadata for f in options_of(AIM)}
    assert set(fields) == {"rounds", "alpha", "columns_share", "capacity_mb"}
    assert fields["alpha"]["low"] < AIM().alpha < fields["alpha"]["high"]


def test_the_registry_is_keyed_by_the_names_people_type() -> None:
    assert set(MECHANISMS) >= {"aim", "independent"}
    assert all(MECHANISMS[name].name == name for name in MECHANISMS)
