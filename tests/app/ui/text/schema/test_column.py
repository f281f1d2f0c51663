from __future__ import annotations

from synth.app.project.describe.lookup import Lookup
from synth.app.ui.text.schema import column as text


def test_what_came_of_a_table_of_codes_is_counted_and_what_it_lacks_is_named() -> None:
    table = Lookup(codes={"I": ("I21", "I22"), "J": ("J10",)}, meanings={})
    assert text.looked_up(table, ()) == "3 codes are read as 2 groups."
    assert text.looked_up(table, ("Y", "Z")).endswith("kept as values: Y, Z.")
