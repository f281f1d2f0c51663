"""Every criterion of the registry: no error for the real table itself, a share for any other, and words."""

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.table import CodeTable
from synth.evaluate.criteria import CRITERIA, GROUPS, Criterion, TablePair

DOMAIN = Domain(("age", "sex", "work", "alone"), (12, 2, 3, 1))
EVERY = pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.name)


def town(seed: int, rows: int = 400) -> CodeTable:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 12, rows)
    return CodeTable(DOMAIN, np.stack([age, rng.integers(0, 2, rows), age // 4, 0 * age], axis=1))


def compared(real: CodeTable, synthetic: CodeTable) -> TablePair:
    return TablePair(real=real, synthetic=synthetic, ordered=frozenset({"age"}), questions=50)


@EVERY
def test_the_real_table_itself_is_without_error(criterion: Criterion) -> None:
    assert criterion.measure(compared(town(0), town(0))) in (0.0, None)


@EVERY
def test_another_table_has_an_error_of_at_most_all_rows_the_same_every_time(criterion: Criterion) -> None:
    spoiled = CodeTable(DOMAIN, 0 * town(1).codes)
    error = criterion.measure(compared(town(0), spoiled))
    assert error is None or 0.0 < error <= 1.0
    assert error == criterion.measure(compared(town(0), spoiled))


@EVERY
def test_few_columns_are_no_obstacle(criterion: Criterion) -> None:
    one = CodeTable(Domain(("alone",), (1,)), np.zeros((5, 1), dtype=np.int64))
    assert criterion.measure(compared(one, one)) in (0.0, None)


@EVERY
def test_it_is_explained(criterion: Criterion) -> None:
    assert criterion.title and criterion.heading and criterion.help.endswith(".")


def test_names_are_told_once_and_groups_are_explained() -> None:
    assert len({c.name for c in CRITERIA}) == len(CRITERIA)
    assert len({group.name for group in GROUPS}) == len(GROUPS)
    assert all(group.title and group.note.endswith(".") for group in GROUPS)
    assert compared(town(0), town(1)).figures().keys() == {c.name for c in CRITERIA}
