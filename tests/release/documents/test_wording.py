from dataclasses import replace
from typing import Any

import pytest

from synth.core.accounting import GAUSSIAN, ZCDP
from synth.core.schema import FileFormat, LineBreaks, Neighbours, Schema, Unit
from synth.release.documents import wording
from synth.release.documents.statement import Imprint, history, sentences, statement
from synth.release.synthesis import Synthesis

RECORDS = {
    LineBreaks.JOIN: "A row is a record as the program reads the file. In a CSV file a text in quotes may "
    "run over several lines, so that stray quotes can join lines; what is compared is the records.",
    LineBreaks.SPLIT: "A row is a record as the program reads the file: in a CSV file one line, whatever the "
    "others hold.",
    LineBreaks.REFUSE: "A row is a record as the program reads the file: in a CSV file one line. That no "
    "text in quotes runs over several lines is stated of both tables; a file in which one does is refused.",
}


def stated(synthesis: Synthesis, **privacy: Any) -> dict[str, Any]:
    """The sentences of a statement whose promise is another one."""
    return sentences(replace(synthesis, privacy=replace(synthesis.privacy, **privacy)))


def with_schema(synthesis: Synthesis, schema: Schema) -> Synthesis:
    evidence = synthesis.evidence
    return replace(synthesis, evidence=replace(evidence, codebook=replace(evidence.codebook, schema=schema)))


def test_the_two_relations_are_told_apart(synthesis: Synthesis) -> None:
    add = stated(synthesis)["neighbours_explained"]
    swap = stated(synthesis, neighbours=Neighbours.REPLACE)["neighbours_explained"]
    assert "how many rows the table has, are protected" in add["words"] and "D' = D + R" in add["formal"]
    assert "number of rows is public" in swap["words"] and "|R| <= 2 and |R'| <= 2" in swap["formal"]


def test_who_caps_the_rows_of_a_unit_is_told(synthesis: Synthesis) -> None:
    assert "not checked" in stated(synthesis, unit=Unit(max_rows=3))["enforced"]
    enforced = stated(synthesis, unit=Unit(max_rows=3, id_column="id"))["enforced"]
    assert "capped at 3" in enforced and "rows with a blank id were left out" in enforced


@pytest.mark.parametrize("breaks", LineBreaks)
def test_what_a_row_is_stands_in_the_statement(synthesis: Synthesis, breaks: LineBreaks) -> None:
    schema = replace(synthesis.schema, file=FileFormat(line_breaks=breaks), rows_public=26_000)
    line = statement(with_schema(synthesis, schema), Imprint(), release="20260101-00000000")
    assert line["neighbours_explained"]["records"] == RECORDS[breaks]
    typed = (
        "The number of rows, 26,000: the steward typed it as a public fact. It was neither counted in the "
    )
    assert f"{typed}file nor compared with it." in line["outside_the_guarantee"]


def test_only_a_rehearsal_has_a_seed(synthesis: Synthesis) -> None:
    assert "no seed" in stated(synthesis, rehearsal=False, law=GAUSSIAN)["noise"]["entropy"]
    assert "no promise holds" in stated(synthesis, rehearsal=True, law=ZCDP)["noise"]["entropy"]


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
    assert "The promise of epsilon 4 at delta 1e-9 and then rho 0.02 has lapsed" in stated
    assert "for all releases together, is epsilon 8 at delta 1e-9" in stated


def test_nothing_claims_to_be_what_it_cannot_be(synthesis: Synthesis) -> None:
    assert "anonym" not in str(stated(synthesis)).lower()


def test_what_a_receipt_tells_of_other_runs_is_left_to_their_own_promises(synthesis: Synthesis) -> None:
    (line,) = [limit for limit in stated(synthesis)["known_limits"] if "other runs" in limit]
    assert "receipt" in line and "lifetime promises" in line
