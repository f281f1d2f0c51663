"""Two windows' changes are put together; what cannot be is told with both values."""

import copy
from typing import Any

import pytest

from synth.app.project import store
from synth.app.project.merging import Clash, merged
from synth.core.errors import Mistake

AGE = {"name": "age", "kind": "integer", "min": 0, "max": 9}
WARD = {"name": "ward", "kind": "category", "values": ["a", "b"]}
BASE: dict[str, Any] = {"name": "survey", "rules": ["one"], "settled": ["unit"]}
BASE["budget"] = {"epsilon": 1.0, "delta": 1e-7, "weights": {}}
BASE["schema"] = {"columns": [AGE, WARD]}


def changed(*changes: tuple[tuple[Any, ...], Any]) -> dict[str, Any]:
    """The base with other values at these paths."""
    document = copy.deepcopy(BASE)
    for (*way, last), value in changes:
        place: Any = document
        for name in way:
            place = place[name]
        place[last] = value
    return document


EPSILON, DELTA, MAX = ("budget", "epsilon"), ("budget", "delta"), ("schema", "columns", 0, "max")
VALUES, WEIGHT = ("schema", "columns", 1, "values"), ("budget", "weights", "later")


@pytest.mark.parametrize(
    ("here", "saved"),
    [
        ((EPSILON, 2.0), (DELTA, 1e-9)),
        ((WEIGHT, "high"), (EPSILON, 0.5)),
        ((MAX, 12), (VALUES, ["a", "b", "c"])),
        ((VALUES, ["a"]), (EPSILON, 0.5)),
        ((EPSILON, 0.5), (EPSILON, 0.5)),
    ],
)
def test_changes_of_different_fields_are_all_kept(here: Any, saved: Any) -> None:
    found, clashes = merged(BASE, changed(here), changed(saved))
    assert found == changed(here, saved)
    assert not clashes


def test_a_field_that_both_changed_stays_as_saved_and_both_values_are_told() -> None:
    found, clashes = merged(BASE, changed((EPSILON, 2.0), (MAX, 12)), changed((EPSILON, 0.5), (MAX, 15)))
    assert found == changed((EPSILON, 0.5), (MAX, 15))
    assert clashes == (
        Clash(field="epsilon", saved="0.5", here="2"),
        Clash(field="the largest value of column age", saved="15", here="12"),
    )


def test_a_column_that_one_takes_out_and_the_other_changes_is_kept_and_told() -> None:
    here = copy.deepcopy(BASE)
    del here["schema"]["columns"][0]
    found, clashes = merged(BASE, here, changed((MAX, 12)))
    assert found == changed((MAX, 12))
    assert [(c.field, c.here) for c in clashes] == [("column age", "nothing")]
    assert merged(BASE, here, BASE)[0] == here


def test_two_windows_do_not_start_a_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the other finds what that one saved, and so does not spend again."""
    monkeypatch.setattr(store, "_WRITING_SECONDS", 0.0)
    identity = store.fresh_id()
    with store.spending(identity):
        with pytest.raises(Mistake, match="Another window is still writing"), store.spending(identity):
            pass
        with store.writing(identity):
            pass  # what the run is noted in
    with store.spending(identity):
        pass
