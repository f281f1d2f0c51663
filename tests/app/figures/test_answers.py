"""The map of relations: width for strength, colour for error, dashes for pairs that were not measured."""

from itertools import combinations

import networkx as nx

from synth.analyst.kept import Known
from synth.app.figures.answers import LEAST_STRENGTH, MOST_LINES, relations
from synth.core.numbers import TIMES

Pair = tuple[str, str, Known, float | None, float | None, float]


def graph(*edges: Pair) -> nx.Graph:
    made = nx.Graph()
    for a, b, known, error, limit, strength in edges:
        made.add_node(a, title=a.upper())
        made.add_node(b, title=b.upper())
        made.add_edge(a, b, known=known, error=error, limit=limit, strength=strength)
    return made


def test_strength_is_the_width_error_the_colour_and_measurement_the_dash() -> None:
    drawn = relations(
        graph(
            ("a", "b", Known.MEASURED, -0.01, 0.03, 0.4),
            ("b", "c", Known.JUDGED, 0.01, 0.04, 0.4),
            ("a", "c", Known.MEASURED, 0.3, 0.4, 0.15),
            ("c", "d", Known.MEASURED, None, 0.4, 0.05),
            ("a", "d", Known.MEASURED, 0.01, 0.4, LEAST_STRENGTH / 2),
        )
    )
    assert drawn.marks is not None
    lines = [line for line in drawn.marks.data if line.mode == "lines"]
    looks = [(line.name, line.line.dash, line.line.width, len(line.x) // 3) for line in lines]
    assert looks == [
        ("error: very accurate (up to 2%)", "solid", 4.5, 1),
        ("error: very accurate (up to 2%)", "dash", 4.5, 1),
        ("error: poor (above 10%)", "solid", 3.0, 1),
        ("error not measured", "solid", 1.6, 1),
    ]
    assert [line.showlegend for line in lines] == [True, False, True, True]
    assert "the 4 strongest of 5 relations" in drawn.words and f"A{TIMES}B (40%)" in drawn.words
    assert list(drawn.frame["Strength of the relation"]) == ["40%", "40%", "15%", "5.0%", "1.0%"]
    assert drawn.frame["Error of the synthetic rows"][3] == "at most 40%"


def test_a_map_is_never_a_mesh() -> None:
    names = [f"c{i}" for i in range(14)]
    strengths = {pair: 0.1 + i / 1000 for i, pair in enumerate(combinations(names, 2))}
    drawn = relations(graph(*((a, b, Known.JUDGED, 0.1, 0.2, s) for (a, b), s in strengths.items())))
    assert drawn.marks is not None
    lines = [line for line in drawn.marks.data if line.mode == "lines"]
    assert sum(len(line.x) // 3 for line in lines) == MOST_LINES
    assert len(drawn.frame) == len(strengths)


def test_a_table_without_relations_has_a_map_of_its_columns_only() -> None:
    drawn = relations(graph(("a", "b", Known.BOUNDED, None, 0.4, 0.0)))
    assert drawn.marks is not None
    assert [line.mode for line in drawn.marks.data] == ["markers+text"]
    assert "the 0 strongest of 1 relations" in drawn.words
