"""Codes and groups from a table: what is read, what becomes of the values there were, and what is refused."""

from __future__ import annotations

import pytest

from synth.app.project.describe import lookup
from synth.app.project.describe.columns import Details
from synth.core.errors import Mistake

PASTED = "I21\tI\theart\nI22\tI\theart\nJ10\tJ\tlungs\nJ\tJ\t\nK*\tother\t\n"


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_the_sign_between_cells_is_found_and_a_heading_left_out(sign: str) -> None:
    lines = [("code", "group"), ("01", "north"), ("02", "north"), ("03", "south")]
    typed = "\n\n".join(sign.join(line) for line in lines)
    assert lookup.read(typed, headed=True).codes == {"north": ("01", "02"), "south": ("03",)}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "empty"),
        ("a,b\n", "empty"),
        ("h,h\na,b\nc\n", "Line 3 .* has 1 cell: 'c'"),
        ("h,h\na,b,c,d\n", "has 4 cells"),
        ("h,h\na,\n", "Line 2"),
        ("h,h\na,b\na,c\n", "Line 3 .*'a' into 'c', an earlier one into 'b'"),
        ("h,h\na,b,one\nc,b,two\n", "'b' means 'two', an earlier one 'one'"),
    ],
)
def test_what_is_no_such_table_is_refused_by_its_line(typed: str, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        lookup.read(typed, headed=True)


def test_groups_become_the_values_and_what_the_table_leaves_out_stays() -> None:
    before = Details(
        values=("I21", "J", "K35", "Z", 9),
        labels=("infarct", "", "", "none", ""),
        reads=((), (), (), ("Z0",), ()),
    )
    after, left = lookup.applied(before, lookup.read(PASTED, headed=False))
    assert after.values == ("I", "J", "other", "Z", 9)
    assert after.reads == (("I21", "I22"), ("J10",), ("K*",), ("Z0",), ())
    assert after.labels == ("heart", "lungs", "", "none", "")
    assert left == ("Z", "9")
