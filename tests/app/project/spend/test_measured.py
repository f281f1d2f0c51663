"""Which measured table is like a declared one."""

from synth.app.project.spend.measured import comparisons
from synth.mechanisms import MECHANISMS


def test_the_file_beside_the_code_names_methods_of_the_registry_and_where_figures_come_from() -> None:
    found = comparisons()
    assert {c.title for c in found} >= {"Adult", "Titanic", "NLTCS"}
    for one in found:
        assert 0 <= one.shape.ordered <= one.shape.columns and one.epsilon > 0 and one.shape.rows
        for f in one.findings:
            assert f.method in MECHANISMS and f.runs > 0 and f.seconds > 0
            assert 0 < f.pairs < 1 and f.columns < f.triples
            assert f.source.command.startswith("python -m synth bench") and "--out" not in f.source.command


def test_of_a_ranking_all_figures_are_of_the_newest_source_that_has_the_first() -> None:
    for one in comparisons():
        for first in one.by_method(workload=2):
            found = one.ranking(first, workload=2)
            assert len({f.source for f in found.values()}) <= 1 and (not found or first in found)
