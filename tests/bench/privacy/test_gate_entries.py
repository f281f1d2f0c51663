"""An entry of the gate has one name, which says all that its questions hang on."""

from __future__ import annotations

import pytest

from synth.bench.privacy.gate_entries import entry_of, entry_typed, method_of, recipe_for
from synth.core.errors import Mistake


def test_options_are_named_in_one_way() -> None:
    assert entry_of("rap+mixture", "pool=6 half_spaces=0.5 top=2") == "rap half_spaces=0.5 pool=6"
    assert entry_typed("rap half-spaces=0.50") == "rap half_spaces=0.5"


def test_a_library_is_named_as_it_is_and_a_generator_is_not_part_of_a_name() -> None:
    assert entry_of("dpmm-mst") == entry_typed("dpmm-mst") == "dpmm-mst"
    assert entry_of("grove+mixture") == "grove"
    assert method_of("absyn+compress alpha=2") == "absyn"


def test_what_is_run_has_the_options_of_the_name() -> None:
    recipe = recipe_for("rap half_spaces=0.5")
    assert recipe.mechanism.name == "rap" and recipe.mechanism.half_spaces == 0.5
    assert recipe_for("aim+compress").compress


@pytest.mark.parametrize("typed", ["", "magic", "+compress"])
def test_what_is_no_entry_is_told(typed: str) -> None:
    with pytest.raises(Mistake, match="There is no entry"):
        entry_typed(typed)
