"""Test that each law has a file, an entry and a proof with the required content."""

import copy
import pickle
from pathlib import Path

import pytest

from synth.core.accounting import GAUSSIAN, LAWS, RUN_LAWS, ZCDP, Law, law_facts, law_in, law_named, line_law

PROOFS = Path(__file__).parents[3] / "assets" / "proofs"


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_law_has_its_proof_its_name_and_its_words(law: Law) -> None:
    assert (PROOFS / law.proof).is_file() and law == LAWS[law.name] == law_named(law.written)
    assert law.title and law.definition and law.composition and law.conversion(10**9, delta_of_lists=0.0)
    assert pickle.loads(pickle.dumps(law)) == copy.deepcopy(law) == law


@pytest.mark.parametrize("law", RUN_LAWS, ids=[law.name for law in RUN_LAWS])
def test_a_law_of_runs_says_what_may_be_asked_and_adds_up_on_a_line(law: Law) -> None:
    assert law == ZCDP or (law.asks and law.answers), "zCDP alone allows everything"
    assert line_law(law) in (ZCDP, GAUSSIAN) and law_in(law_facts(law)) == law
