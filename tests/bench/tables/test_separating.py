from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from synth.bench.tables import tables
from synth.bench.tables.separating import LABEL, SEPARATING
from synth.bench.tables.tables import INVENTED, find, read, read_held_out
from synth.bench.tables.unseen import UNSEEN
from synth.core.domain import Domain
from synth.core.table import CodeTable

ROWS = 20_000


def drawn(name: str) -> CodeTable:
    law = replace(SEPARATING[name], rows=ROWS)
    (codes,) = law.blocks()
    return CodeTable(Domain(tuple(law.sizes), tuple(law.sizes.values())), codes)


def chi_squared(table: CodeTable, columns: tuple[str, ...]) -> float:
    """Of the label against a set of columns, in standard deviations above its mean under independence."""
    held = np.asarray(table.counts((*columns, LABEL)), dtype=float)
    held = held.reshape(-1, held.shape[-1])
    expected = np.outer(held.sum(axis=1), held.sum(axis=0)) / held.sum()
    free = (held.shape[0] - 1) * (held.shape[1] - 1)
    return float((((held - expected) ** 2 / expected).sum() - free) / (2 * free) ** 0.5)


@pytest.mark.parametrize("name", INVENTED)
def test_a_law_gives_the_same_table_each_time_within_its_codes(name: str) -> None:
    law = replace(INVENTED[name], rows=2_000)
    (codes,), (again,) = law.blocks(), law.blocks()
    sizes = np.array(list(law.sizes.values()))
    assert codes.shape == (2_000, len(sizes)) and np.array_equal(codes, again)
    assert (codes >= 0).all() and (codes < sizes).all() and (codes.max(axis=0) > 0).all()
    assert {*law.nominal, law.target or law.nominal} <= {*law.sizes, law.nominal}


@pytest.mark.parametrize(
    ("name", "telling"),
    [("xor-blocks", ("x00", "x03")), ("parity-3", ("x00", "x01", "x02")), ("rests", ("x00", "x01"))],
)
def test_no_smaller_table_of_the_label_shows_its_rule(name: str, telling: tuple[str, ...]) -> None:
    table = drawn(name)
    assert chi_squared(table, telling) > 100
    for k in range(1, len(telling)):
        assert max(chi_squared(table, some) for some in combinations(telling, k)) < 6


def test_zeros_hold_and_rows_are_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setattr(tables.places, "cache", lambda: tmp_path)
    table = find("orders").with_rules(True)
    apart = read_held_out(table)
    assert apart is not None and (read(table).rows, apart.rows) == (20_000, 5_000)
    assert len(table.zeros) == 3 and table.target == "late"
    for zero in table.zeros:
        assert read(table).counts(zero.clique)[zero.forbidden].sum() == 0


def test_the_unseen_laws_have_the_relations_that_they_state() -> None:
    (careers,), (switches,) = (UNSEEN[name].blocks() for name in ("careers", "switches"))
    age, education, experience = careers[:, 0] + 18, careers[:, 1] + 6, careers[:, 2]
    assert np.mean(experience == np.maximum(age - education - 6, 0)) > 0.96
    even = (switches[:, 4] + switches[:, 7] + switches[:, 12]) % 2 == 0
    assert abs(np.mean(even) - 0.975) < 0.005  # five standard deviations
