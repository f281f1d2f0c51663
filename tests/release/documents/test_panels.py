from dataclasses import replace
from pathlib import Path

import numpy as np

from synth.core.axis import Axis, Grouping
from synth.core.discretisation import axis_of
from synth.core.schema import Column, Kind, Outside
from synth.release.documents.panels import WHISKER, code_labels, domain_text, panels
from synth.release.opened import open_bundle
from synth.release.synthesis import Synthesis


def test_noisy_counts_and_whiskers_are_those_of_the_measurement(synthesis: Synthesis, written: Path) -> None:
    shown = panels(open_bundle(written))[0]
    own = [m for m in synthesis.evidence.measurements if m.clique == ("age",)]
    weights = np.array([1 / float(m.variance) for m in own])
    expected = sum(w * m.counts for w, m in zip(weights, own, strict=True)) / weights.sum()
    assert shown.noisy is not None and np.allclose(shown.noisy, expected)
    assert shown.margin == np.ceil(WHISKER * weights.sum() ** -0.5)


def test_groups_in_words() -> None:
    whole = Axis(column=Column(name="n", kind=Kind.INTEGER), edges=(0.0, 1.0, 5.0, 10.0))
    grouping = Grouping(column="n", group_of=(0, 0, 1, 2), weights=(1.0,) * 4)
    assert code_labels(whole, grouping) == ("0 to 4", "5 to 9", "blank")
    words = Axis(column=Column(name="c", kind=Kind.CATEGORY), labels=("a", "b", "c"))
    rare = Grouping(column="c", group_of=(0, 1, 1, 2), weights=(1.0,) * 4)
    assert code_labels(words, rare) == ("a", "2 rare values", "blank")


def test_domains_in_a_few_words() -> None:
    column = Column(name="c", kind=Kind.CATEGORY, values=tuple(range(9)))
    assert domain_text(axis_of(column)) == "0, 1, 2, 3, 4, 5 and 3 more"
    coded = Column(name="s", kind=Kind.CATEGORY, values=("1", "2", "x"), labels=("one", "two", ""))
    assert domain_text(axis_of(coded)) == "1 = one, 2 = two, x"
    assert domain_text(axis_of(replace(coded, write_labels=True))) == "one, two, x"
    assert domain_text(axis_of(replace(coded, outside=Outside.OTHER))) == "1 = one, 2 = two, x, else Other"
    day = Column(name="d", kind=Kind.DATE, min="2011-01-01", max="2020-12-31")
    assert domain_text(axis_of(day)) == "2011-01-01 to 2020-12-31"
    warm = Column(name="t", kind=Kind.DECIMAL, min=34.0, max=42.0, cuts=(37.5,), labels=("well", "fever"))
    assert domain_text(axis_of(warm)) == "34.00 to 42.00, 2 decimals (well, fever)"
    assert domain_text(axis_of(replace(warm, decimals=1))) == "34.0 to 42.0, 1 decimal (well, fever)"
    cost = Column(name="c", kind=Kind.DECIMAL, min=0.0, max=250_000.0, decimals=2)
    assert domain_text(axis_of(cost)) == "0.00 to 250,000.00, 2 decimals"
    named = replace(warm, write_labels=True)
    assert domain_text(axis_of(named)) == "34.0 to 42.0 (well, fever; in the CSV by these names)"
