"""Train on synthetic rows and test on real rows. NOT PRIVATE: the score is computed on real rows.

A model predicts one column from all others. It is trained once on the synthetic table and, for comparison,
once on real rows. Both models are tested on real rows that were not used in the run. All three tables are
encoded in the same way. An ordered column with more than ten codes is a regression target. Any other column
is a classification target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.errors import Mistake
from synth.core.table import CodeTable
from synth.evaluate.learners import fitted

MANY_CODES = 10
"""Number of codes above which an ordered column is a regression target."""


@dataclass(frozen=True, kw_only=True)
class Utility:
    """NOT PRIVATE. The scores for one target on held-out real rows.

    Classification has `accuracy`, macro `f1` and, for two classes, `auc`. Regression has `rmse` in codes and
    `r2`. `real` has the scores of the same model trained on real rows, or None if no such rows were given.
    `guess` has the score of always predicting the most common (or mean) value of the training rows.
    """

    target: str
    learner: str
    task: str
    synthetic: dict[str, float]
    guess: dict[str, float]
    real: dict[str, float] | None


def utility(
    target: str,
    *,
    synthetic: CodeTable,
    held_out: CodeTable,
    train: CodeTable | None = None,
    ordered: frozenset[str] = frozenset(),
    learner: str = "boosting",
    seed: int = 0,
) -> Utility:
    """Train on `synthetic` (and separately on `train`), test on `held_out`, and return the scores.

    Raises: `Mistake` for an unknown target or learner, or tables without rows.
    """
    domain = held_out.domain
    if target not in domain:
        raise Mistake(f"There is no column {target!r} to predict. Choose one of: {', '.join(domain.names)}.")
    if min(held_out.rows, synthetic.rows) == 0:
        raise Mistake("Train-on-synthetic needs synthetic rows and held-out real rows.")
    task = "regression" if target in ordered and domain.size((target,)) > MANY_CODES else "classification"

    def score(rows: CodeTable, *, guessing: bool = False) -> dict[str, float]:
        x, y = _split(rows, target)
        test_x, test_y = _split(held_out, target)
        if task == "regression":
            learned = None if guessing or y.min() == y.max() else _fit(x, y)
            return _numbers(
                test_y, np.full(len(test_y), y.mean()) if learned is None else learned.predict(test_x)
            )
        labels, classes = np.unique(y, return_inverse=True)
        if guessing or len(labels) == 1:
            commonest = np.full(len(test_y), np.bincount(y).argmax())
            return _classes(test_y, commonest, chance=np.zeros(len(test_y)))
        chances = _fit(x, classes).predict_proba(test_x)
        return _classes(test_y, labels[chances.argmax(axis=1)], chance=chances[:, -1])

    def _fit(x: NDArray[np.int64], y: NDArray[np.int64]) -> Any:
        features = domain.project([n for n in domain.names if n != target])
        is_class = task == "classification"
        return fitted(learner, x, y, features=features, ordered=ordered, classes=is_class, seed=seed)

    return Utility(
        target=target,
        learner=learner,
        task=task,
        synthetic=score(synthetic),
        guess=score(synthetic, guessing=True),
        real=score(train) if train is not None and train.rows else None,
    )


def _split(table: CodeTable, target: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the other columns and the target. Shapes: int64[rows, columns - 1], int64[rows]."""
    axis = table.domain.axis(target)
    codes = np.asarray(table.codes, dtype=np.int64)
    return np.delete(codes, axis, axis=1), codes[:, axis]


def _numbers(truth: NDArray[np.int64], predicted: NDArray[np.float64]) -> dict[str, float]:
    from sklearn.metrics import mean_squared_error, r2_score

    return {
        "rmse": float(mean_squared_error(truth, predicted)) ** 0.5,
        "r2": float(r2_score(truth, predicted)),
    }


def _classes(
    truth: NDArray[np.int64], predicted: NDArray[Any], *, chance: NDArray[np.float64]
) -> dict[str, float]:
    """Return the scores of a classification. `chance` is the predicted probability of the second of two
    classes.
    """
    from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

    scores = {
        "accuracy": float(accuracy_score(truth, predicted)),
        "f1": float(f1_score(truth, predicted, average="macro", zero_division=0.0)),
    }
    labels = np.unique(truth)
    if len(labels) == 2:
        scores["auc"] = float(roc_auc_score(truth == labels[1], chance))
    return scores
