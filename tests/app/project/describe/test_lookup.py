"""Codes and groups from a table: what is read, what becomes of the values there were, and what is refused."""

import pytest

from synth.app.project.describe import lookup

PASTED = "I21\tI\theart\nI22\tI\theart\nJ10\tJ\tlungs\nJ\tJ\t\nK*\tother\t\n"


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_the_sign_between_cells_is_found_and_a_heading_left_out(sign: str) -> None:
    lines = [("code", "group"), ("01", "north"), ("02", "north"), ("03", "south")]
    typed = "\n\n".join(sign.join(line) for line in lines)
    assert lookup.read(typed, headed=True).codes == {"north": ("01", "02"), "south": ("03",)}


def test_groups_become_the_values_and_what_the_table_leaves_out_stays() -> None:
    before = {
        "values": ["I21", "J", "K35", "Z", 9],
        "labels": ["infarct", "", "", "none", ""],
        "reads": [[], [], [], ["Z0"], []],
    }
    after, left = lookup.applied(before, lookup.read(PASTED, headed=False))
    assert after["values"] == ["I", "J", "other", "Z", 9]
    assert after["reads"] == [["I21", "I22"], ["J10"], ["K*"], ["Z0"], []]
    assert after["labels"] == ["heart", "lungs", "", "none", ""]
    assert left == ("Z", "9")
