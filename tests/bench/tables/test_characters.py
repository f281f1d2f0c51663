from __future__ import annotations

from pathlib import Path

from synth.bench.tables.characters import SIZES, blocks

ROWS = "V1,V2,V3,V4,V5,V6,V7,Class\n2,10,16,10,8,8.0,26.0,5\n7,0,63,4,-2,70.5,79.9,10\n"


def test_numbers_are_cut_at_declared_ranges_and_classes_counted_from_zero(tmp_path: Path) -> None:
    published = tmp_path / "part.csv"
    published.write_text(ROWS, encoding="utf-8")
    first, second = blocks([published, published])
    assert first.tolist() == second.tolist()
    one, other = (dict(zip(SIZES, row, strict=True)) for row in first.tolist())
    assert one == {"V1": 2, "V2": 5, "V3": 8, "V4": 5, "V5": 4, "V6": 4, "V7": 10, "Class": 4}
    assert other == {"V1": 7, "V2": 0, "V3": 31, "V4": 2, "V5": 0, "V6": 31, "V7": 31, "Class": 9}
