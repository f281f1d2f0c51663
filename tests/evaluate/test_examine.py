import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Cancelled, Mistake
from synth.core.progress import Progress
from synth.core.table import CodeTable
from synth.evaluate.examine import PredictionSplit, examine

DOMAIN = Domain(("age", "sex", "work"), (12, 2, 3))
ORDERED = frozenset({"age"})


def town(seed: int, rows: int = 700, *, related: bool = True) -> CodeTable:
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(0, 12, rows), rng.integers(0, 2, rows)
    work = (age > 5) * (1 + sex) if related else rng.integers(0, 3, rows)
    return CodeTable(DOMAIN, np.stack([age, sex, work], axis=1))


def test_the_worst_column_and_pair_come_first() -> None:
    real = town(0)
    spoiled = CodeTable(DOMAIN, np.stack([real.codes[:, 0], real.codes[:, 1], np.zeros(700, int)], axis=1))
    found = examine(real, spoiled, run="r", ordered=ORDERED)
    assert found.columns[0].name == "work"
    assert [c.tvd for c in found.columns] == sorted((c.tvd for c in found.columns), reverse=True)
    assert "work" in (found.pairs[0].left, found.pairs[0].right)
    assert found.mean[2] == pytest.approx(np.mean([p.tvd for p in found.pairs]), abs=1e-3)


def test_no_share_is_finer_than_a_thousandth_and_no_count_is_told() -> None:
    found = examine(town(0), town(1), run="r", ordered=ORDERED)
    for column in found.columns:
        for share in (*column.real, *column.synthetic):
            assert share == round(share, 3)
    assert "700" not in str(found.to_json())


def test_a_pair_is_told_cell_by_cell_to_a_thousandth() -> None:
    real, made = town(0), town(1)
    found = next(p for p in examine(real, made, run="r", ordered=ORDERED).pairs if p.left == "age")
    clique = (found.left, found.right)
    assert found.real == tuple(round(float(n) / 700, 3) for n in real.counts(clique).flat)
    assert found.synthetic == tuple(round(float(n) / 700, 3) for n in made.counts(clique).flat)


def test_of_too_many_pairs_only_the_worst_have_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.evaluate.examine.MOST_CELLS", 40)
    found = examine(town(0), town(1, related=False), run="r", ordered=ORDERED).pairs
    assert [bool(pair.real) for pair in found] == [True, False, False]


def test_a_relation_that_was_kept_predicts_and_one_that_was_lost_does_not() -> None:
    trial = PredictionSplit.of(town(0), targets=("work",))
    kept = examine(town(0), town(1), run="r", ordered=ORDERED, split=trial).scores[0]
    lost = examine(town(0), town(1, related=False), run="r", ordered=ORDERED, split=trial).scores[0]
    assert kept.kept is not None and kept.kept > 0.9
    assert lost.kept is not None and lost.kept < 0.5


def test_rows_set_aside_are_not_learned_from() -> None:
    real = town(0)
    marked = CodeTable(Domain(("i",), (700,)), np.arange(700)[:, None])
    trial = PredictionSplit.of(marked, targets=("i",))
    assert trial.test.rows == 140 and not trial.apart
    assert not set(trial.test.codes.ravel()) & set(trial.train.codes.ravel())
    given = PredictionSplit.of(real, town(2), targets=("work",))
    assert given.apart and given.train is real
    with pytest.raises(Mistake, match="other real rows for testing"):
        PredictionSplit.of(CodeTable(DOMAIN, real.codes[:1]), targets=("work",))


def test_progress_tells_steps_only_and_can_end_the_work() -> None:
    stated: list[Progress] = []

    def report(progress: Progress) -> None:
        stated.append(progress)
        if progress.stage == "predict":
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        trial = PredictionSplit.of(town(0), targets=("work", "sex"))
        examine(town(0), town(1), run="r", ordered=ORDERED, split=trial, report=report)
    assert [p.stage for p in stated] == ["compare", "predict"]
    assert not any(c.isdigit() for p in stated for c in p.fact)
