import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.table import CodeTable
from synth.evaluate.utility import utility

DOMAIN = Domain(("age", "sex", "income"), (30, 2, 3))


def town(seed: int, rows: int = 600, *, related: bool = True) -> CodeTable:
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 30, rows), rng.integers(0, 2, rows)
    income = ((age > 14) * 1 + (sex == 1) * 1) if related else rng.integers(0, 3, rows)
    return CodeTable(DOMAIN, np.stack([age, sex, income], axis=1))


@pytest.mark.parametrize("learner", ["boosting", "neighbours"])
def test_a_table_that_keeps_the_relation_predicts_and_one_that_lost_it_does_not(learner: str) -> None:
    kept = utility("income", synthetic=town(0), held_out=town(1), train=town(2), learner=learner)
    lost = utility("income", synthetic=town(3, related=False), held_out=town(1), learner=learner)
    assert kept.task == "classification" and kept.real is not None and lost.real is None
    assert kept.synthetic["accuracy"] > 0.95 and kept.real["accuracy"] > 0.95
    assert lost.synthetic["accuracy"] < 0.65
    assert kept.guess["accuracy"] < 0.6


def test_two_classes_are_also_told_apart_by_rank() -> None:
    kept = utility("sex", synthetic=town(0), held_out=town(1), train=town(2))
    lost = utility("sex", synthetic=town(3, related=False), held_out=town(1))
    assert kept.synthetic["auc"] > 0.95 and lost.synthetic["auc"] < 0.65 and kept.guess["auc"] == 0.5
    assert "auc" not in utility("income", synthetic=town(0), held_out=town(1)).synthetic


def test_classes_that_the_training_rows_lack_do_not_shift_the_others() -> None:
    """Incomes 1 and 2 become 0 and 1 for the learner, and 1 and 2 again when it answers."""
    rich = CodeTable(DOMAIN, town(0).codes[town(0).codes[:, 2] > 0])
    found = utility("income", synthetic=rich, held_out=rich, learner="neighbours")
    assert found.synthetic["accuracy"] > 0.95


def test_a_column_in_order_with_many_codes_is_a_number() -> None:
    found = utility("age", synthetic=town(0), held_out=town(1), ordered=frozenset({"age"}))
    assert found.task == "regression" and set(found.synthetic) == {"rmse", "r2"}
    assert found.synthetic["r2"] > 0.3 > 0.01 > found.guess["r2"]


def test_a_target_with_one_value_in_the_synthetic_table_is_guessed() -> None:
    constant = CodeTable(DOMAIN, np.stack([np.arange(60) % 30, np.arange(60) % 2, np.zeros(60, int)], axis=1))
    found = utility("income", synthetic=constant, held_out=town(1))
    assert found.synthetic == found.guess


@pytest.mark.parametrize("change", [{"target": "wage"}, {"learner": "oracle"}])
def test_unknown_names_are_mistakes(change: dict[str, str]) -> None:
    target = change.pop("target", "income")
    with pytest.raises(Mistake, match="Choose one of"):
        utility(target, synthetic=town(0), held_out=town(1), **change)  # type: ignore[arg-type]


def test_no_rows_is_a_mistake() -> None:
    empty = CodeTable(DOMAIN, np.empty((0, 3), dtype=int))
    with pytest.raises(Mistake, match="rows"):
        utility("income", synthetic=empty, held_out=town(1))
