from __future__ import annotations

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.evaluate import learners
from synth.evaluate.learners import LEARNERS, fitted, missing_package

FEATURES = Domain(("age", "town"), (30, 3))
RNG = np.random.default_rng(0)
X = np.stack([RNG.integers(0, 30, 3000), RNG.integers(0, 3, 3000)], axis=1)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classes", [True, False])
def test_every_learner_learns_from_order_and_category(learner: str, classes: bool) -> None:
    if missing_package(learner):
        pytest.skip(f"{missing_package(learner)} is not installed (extra ml)")
    y = (X[:, 0] > 14) * 1 + (X[:, 1] == 1) * 1
    truth = y if classes else y * 10.0
    model = fitted(learner, X, truth, features=FEATURES, ordered=frozenset({"age"}), classes=classes, seed=0)
    if classes:
        assert model.predict_proba(X).shape == (3000, 3)
        assert np.mean(np.ravel(model.predict(X)) == truth) > 0.9
    else:
        # the network is stopped early and need only do better than the mean
        assert np.mean((model.predict(X) - truth) ** 2) < 0.9 * truth.var()


def test_an_unknown_learner_and_one_that_is_not_installed_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = {"features": FEATURES, "ordered": frozenset[str](), "classes": True, "seed": 0}
    with pytest.raises(Mistake, match="Choose one of"):
        fitted("oracle", X, X[:, 1], **asked)  # type: ignore[arg-type]
    monkeypatch.setitem(learners.PACKAGE, "catboost", "no_such_package_anywhere")
    assert missing_package("catboost") == "no_such_package_anywhere"
    with pytest.raises(Mistake, match=r"marginalia\[ml\]"):
        fitted("catboost", X, X[:, 1], **asked)  # type: ignore[arg-type]
    assert missing_package("forest") is None
