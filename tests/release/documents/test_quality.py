from dataclasses import replace

from synth.release.bundle import contents
from synth.release.checks.bounds import Bound, Support
from synth.release.checks.flags import BLANKS_LOST, Flag
from synth.release.documents.statement import Imprint
from synth.release.layout import Layout
from synth.release.synthesis import Synthesis


def quality(synthesis: Synthesis) -> str:
    """The report's section on utility and bias."""
    page = contents(synthesis, Imprint())[Layout().report].decode()
    return page[page.index("3. Accuracy") : page.index("4. Trust")]


def test_bounds_are_told_by_kind_and_none_claims_nothing(synthesis: Synthesis) -> None:
    bounds = (
        Bound(clique=("age",), kind=Support.MEASURED, l1_counts=4.0, tvd=0.0301, beta=0.05),
        Bound(clique=("age", "ward"), kind=Support.INFERRED, l1_counts=9.0, tvd=0.2, beta=0.05, step=3),
        Bound(clique=("age", "school"), kind=Support.NONE, l1_counts=None, tvd=None, beta=0.05),
    )
    text = quality(replace(synthesis, checks=replace(synthesis.checks, bounds=bounds)))
    assert "3.1\N{NO-BREAK SPACE}%" in text and "20.0\N{NO-BREAK SPACE}%" in text and "no claim" in text
    assert text.count('class="pair inferred"') == 1 and text.count('class="pair measured"') == 0


def test_no_bound_is_told_of_a_column_that_lost_records(synthesis: Synthesis) -> None:
    lost = Flag(code=BLANKS_LOST, sentence="Records are missing.", blocks=False, columns=("age",))
    bounds = tuple(
        Bound(clique=(name,), kind=kind, l1_counts=l1, tvd=l1, beta=0.05)
        for name, kind, l1 in (("age", Support.NONE, None), ("ward", Support.MEASURED, 0.25))
    )
    told = replace(synthesis.checks, bounds=bounds, flags=(lost,))
    text = quality(replace(synthesis, checks=told))
    assert "every table with age: cells that were read as blank" in text
    assert "<span>not known</span>" in text and text.count("<span>within 25.0\N{NO-BREAK SPACE}%</span>") == 1
    assert "not known" not in quality(replace(synthesis, checks=replace(told, flags=())))


def test_a_bound_over_groups_is_told_beside_the_one_over_values(synthesis: Synthesis) -> None:
    bounds = (
        Bound(
            clique=("age", "ward"),
            kind=Support.NONE,
            l1_counts=None,
            tvd=None,
            beta=0.05,
            coarse_kind=Support.MEASURED,
            coarse_l1=5.0,
            coarse_tvd=0.043,
        ),
    )
    text = quality(replace(synthesis, checks=replace(synthesis.checks, bounds=bounds)))
    assert "no claim" in text and "measured, in groups" in text and "4.3\N{NO-BREAK SPACE}%" in text
    assert "this bound is for groups of" in text
    plain = replace(synthesis.checks, bounds=(replace(bounds[0], coarse_kind=None, coarse_tvd=None),))
    assert "in groups" not in quality(replace(synthesis, checks=plain)).lower()


def test_flags_and_broken_rules_are_not_hidden(synthesis: Synthesis) -> None:
    flag = Flag(code="x", sentence="Something <b>odd</b>.", blocks=True)
    checks = replace(synthesis.checks, flags=(flag,), violations={"a rule": 3})
    text = quality(replace(synthesis, checks=checks))
    assert "Something &lt;b&gt;odd&lt;/b&gt;." in text and "Of the synthetic rows, 3 break “a rule”." in text
    assert "No synthetic row breaks a rule or is blank where no blank is allowed." in quality(synthesis)


def test_hundreds_of_flags_are_counted_and_not_all_printed(synthesis: Synthesis) -> None:
    flags = tuple(Flag(code="strained", sentence=f"Sign {n} of many.", blocks=False) for n in range(300))
    text = quality(replace(synthesis, checks=replace(synthesis.checks, flags=flags)))
    assert "Sign 11 of many." in text and "Sign 12 of many." not in text
    assert "288 more such sentences are in checks/checks.json" in text


def test_the_warnings_a_reader_needs(synthesis: Synthesis) -> None:
    text = quality(synthesis)
    assert "P-values." in text and "Bad uses" in text and "not the sampling error" in text
