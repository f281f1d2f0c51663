"""The map of relations: colour for the measured error, dashes for pairs that were not measured together."""

import networkx as nx

from synth.analyst.kept import Known
from synth.app.figures.answers import relations


def graph(*edges: tuple[str, str, Known, float | None, float | None]) -> nx.Graph:
    made = nx.Graph()
    for a, b, known, error, limit in edges:
        made.add_node(a, title=a.upper())
        made.add_node(b, title=b.upper())
        made.add_edge(a, b, known=known, error=error, limit=limit)
    return made


def test_the_grade_of_the_error_is_the_colour_and_the_measurement_the_dash() -> None:
    drawn = relations(
        graph(
            ("a", "b", Known.MEASURED, -0.01, 0.03),
            ("b", "c", Known.JUDGED, 0.01, 0.04),
            ("a", "c", Known.MEASURED, 0.3, 0.4),
        )
    )
    assert drawn.marks is not None
    lines = [line for line in drawn.marks.data if line.mode == "lines" and line.x != (None,)]
    looks = [(line.name, line.line.dash, len(line.x) // 3) for line in lines]
    assert looks == [
        ("very accurate (up to 2%)", "solid", 1),
        ("very accurate (up to 2%)", "dash", 1),
        ("poor (above 10%)", "solid", 1),
    ]
    assert lines[0].line.color == lines[1].line.color != lines[2].line.color
    assert "2 very accurate, 0 accurate, 0 rough, 1 poor" in drawn.words


def test_without_measured_errors_a_map_has_what_is_known() -> None:
    drawn = relations(graph(("a", "b", Known.MEASURED, None, 0.2), ("b", "c", Known.BOUNDED, None, 0.4)))
    assert drawn.marks is not None
    named = {line.name: line.visible for line in drawn.marks.data if line.mode == "lines"}
    assert named == {"error not measured": True, "only a bound is known": "legendonly"}
    assert list(drawn.frame["Error of the synthetic rows"]) == ["at most 20%", "at most 40%"]
