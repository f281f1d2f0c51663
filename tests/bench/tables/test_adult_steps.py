from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from synth.bench.tables import tables
from synth.bench.tables.adult_steps import ORDERED, blocks, sizes_of
from synth.bench.tables.tables import ASSETS, FOLDER, find, read, read_held_out
from synth.dictionaries import load_schema

DECLARED = load_schema(ASSETS / "adult.schema.json")
YOUNG = "17, Private, 0, Preschool, 1, Divorced, Sales, Wife, White, Female, 0, 0, 1, Canada, <=50K"
OLD = "90, ?, 1490400, Doctorate, 16, Divorced, ?, Wife, White, Male, 99999, 4356, 99, Canada, >50K."


def written(at: Path) -> list[Path]:
    (at / "adult.data").write_text(f"{YOUNG}\n\n", encoding="utf-8")
    (at / "adult.test").write_text(f"|1x3 Cross validator\n{OLD}\n", encoding="utf-8")
    return [at / "adult.data", at / "adult.test"]


def test_both_files_are_read_numbers_cut_and_blanks_a_code(tmp_path: Path) -> None:
    (codes,) = blocks(written(tmp_path), DECLARED)
    sizes = sizes_of(DECLARED)
    young, old = sorted(
        (dict(zip(sizes, row, strict=True)) for row in codes.tolist()), key=lambda r: r["age"]
    )
    steps = ("age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week")
    assert [young[name] for name in steps] == [0] * 5
    assert [old[name] for name in steps] == [31, 31, 31, 27, 31]
    assert (old["workclass"], old["occupation"]) == (sizes["workclass"] - 1, sizes["occupation"] - 1)
    assert (young["education-num"], old["education-num"], old["income"]) == (0, 15, 1)


def test_so_many_rows_are_drawn_the_same_every_time(tmp_path: Path) -> None:
    files = written(tmp_path)
    files[0].write_text("\n".join(YOUNG.replace("17,", f"{age},", 1) for age in range(17, 90)) + "\n")
    (some,), (again,) = (blocks(files, DECLARED, rows=20) for _ in range(2))
    assert some.shape == (20, 15) and np.array_equal(some, again)
    assert len(np.unique(some[:, 0])) > 10


@pytest.mark.skipif(not os.environ.get(FOLDER), reason="MARGINALIA_DATA is not set")
def test_a_fifth_of_the_paper_s_rows_is_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.places, "cache", lambda: tmp_path)
    table = find("adult-steps")
    kept, apart = read(table), read_held_out(table)
    assert apart is not None and (kept.rows, apart.rows) == (25_907, 6_477)
    assert table.target == "income" and kept.domain == apart.domain
    assert [c.name for c in table.schema.columns if c.kind == "ordered"] == list(ORDERED)
