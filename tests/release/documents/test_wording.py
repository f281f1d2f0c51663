from dataclasses import replace
from typing import Any

from synth.core.accounting import GAUSSIAN, ZCDP
from synth.core.schema import Neighbours, Unit
from synth.release.documents import wording
from synth.release.documents.statement import history, sentences
from synth.release.synthesis import Synthesis


def stated(synthesis: Synthesis, **privacy: Any) -> dict[str, Any]:
    """The sentences of a statement whose promise is another one."""
    return sentences(replace(synthesis, privacy=replace(synthesis.privacy, **privacy)))


def test_the_two_relations_are_told_apart(synthesis: Synthesis) -> None:
    add = stated(synthesis)["neighbours_explained"]
    swap = stated(synthesis, neighbours=Neighbours.REPLACE)["neighbours_explained"]
    assert "how many rows the table has, are protected" in add["words"] and "D' = D + R" in add["formal"]
    assert "number of rows is public" in swap["words"] and "|R| <= 2 and |R'| <= 2" in swap["formal"]


def test_who_caps_the_rows_of_a_unit_is_told(synthesis: Synthesis) -> None:
    assert "not checked" in stated(synthesis, unit=Unit(max_rows=3))["enforced"]
    enforced = stated(synthesis, unit=Unit(max_rows=3, id_column="id"))["enforced"]
    assert "capped at 3" in enforced and "rows with a blank ID were removed" in enforced


def test_only_a_rehearsal_has_a_seed(synthesis: Synthesis) -> None:
    assert "has no seed" in stated(synthesis, rehearsal=False, law=GAUSSIAN)["noise"]["entropy"]
    assert "there is no guarantee" in stated(synthesis, rehearsal=True, law=ZCDP)["noise"]["entropy"]


def test_the_law_of_the_noise_is_told(synthesis: Synthesis) -> None:
    discrete = stated(synthesis, rehearsal=False, law=ZCDP)["noise"]["distribution"]
    assert discrete.startswith("discrete")
    assert "rounded" in stated(synthesis, rehearsal=False, law=GAUSSIAN)["noise"]["distribution"]


def test_the_budget_line_in_a_sentence() -> None:
    line = {
        "population": "p", "spent_before_units": 2 * 10**10, "spent_with_this_units": 3 * 10**10,
        "reserved_by_open_runs_units": 10**9, "limit_units": 10**11, "left_units": 69 * 10**9,
    }  # fmt: skip
    text = wording.history(line)
    assert "rho 0.02 on other releases and rho 0.01 on this one" in text
    assert "rho 0.069 was left" in text
    assert "rho 0.001 in reserve" in text
    assert "lifetime" not in wording.history({**line, "limit_units": None})


def test_a_promise_that_lapsed_is_named_with_the_one_that_took_its_place(synthesis: Synthesis) -> None:
    line = history(synthesis.privacy)
    assert line["lapsed"] == [] and "lapsed" not in wording.history(line)
    lapsed = [
        {"units": 10**10, "epsilon": 4.0, "delta": 1e-9},
        {"units": 2 * 10**10, "epsilon": None, "delta": None},
    ]
    stated = wording.history({**line, "lapsed": lapsed, "lifetime": {"epsilon": 8.0, "delta": 1e-9}})
    assert "The guarantee of epsilon 4 at delta 1e-9 and then rho 0.02 no longer holds" in stated
    assert "all releases together have epsilon 8 at delta 1e-9" in stated


def test_nothing_claims_to_be_what_it_cannot_be(synthesis: Synthesis) -> None:
    assert "anonym" not in str(stated(synthesis)).lower()
