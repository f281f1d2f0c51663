"""Which measured table is like a declared one."""

from __future__ import annotations

import pytest

from synth.app.project.spend.measured import Comparison, Shape, comparisons, nearest, read
from synth.mechanisms import MECHANISMS

SOURCE = {"started": "s", "command": "c", "machine": "m", "cores": "1", "version": "1", "commit": "c"}


def finding(method: str, workload: int = 2) -> dict[str, object]:
    figures = {"columns": 0.01, "pairs": 0.02, "triples": 0.03, "seconds": 1.0}
    return {"method": method, "workload": workload, "runs": 1, "source": 0, **figures}


def comparison(title: str, columns: int, ordered: int, **changes: object) -> Comparison:
    entry = {
        "title": title,
        "is_invented": False,
        "shape": {"columns": columns, "ordered": ordered, "rows": 10_000},
        "epsilon": 1.0,
        "delta": 1e-9,
        "findings": [finding("blend"), finding("aim")],
    }
    (found,) = read({"sources": [SOURCE], "comparisons": [entry | changes]})
    return found


def title(found: Comparison | None) -> str | None:
    return None if found is None else found.title


@pytest.mark.parametrize(
    ("shape", "epsilon"),
    [
        (Shape(columns=200, ordered=0), 1.0),
        (Shape(columns=3, ordered=0), 1.0),
        (Shape(columns=10, ordered=10), 1.0),
        (Shape(columns=10, ordered=0), 0.01),
        (Shape(columns=10, ordered=0), 100.0),
        (Shape(columns=10, ordered=0, rows=200), 1.0),
    ],
)
def test_what_differs_too_much_is_compared_with_nothing(shape: Shape, epsilon: float) -> None:
    among = (comparison("one", 10, 0),)
    assert nearest(Shape(columns=10, ordered=0, rows=5_000), 1.0, among) is among[0]
    assert nearest(shape, epsilon, among) is None


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
