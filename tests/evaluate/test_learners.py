import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.evaluate.learners import LEARNERS, fitted, is_installed

FEATURES = Domain(("age", "town"), (30, 3))
RNG = np.random.default_rng(0)
X = np.stack([RNG.integers(0, 30, 3000), RNG.integers(0, 3, 3000)], axis=1)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classes", [True, False])
def test_every_learner_learns_from_order_and_category(learner: str, classes: bool) -> None:
    if not is_installed(learner):
        pytest.skip(f"{learner} is not installed (extra ml)")
    y = (X[:, 0] > 14) * 1 + (X[:, 1] == 1) * 1
    truth = y if classes else y * 10.0
    model = fitted(learner, X, truth, features=FEATURES, ordered=frozenset({"age"}), classes=classes, seed=0)
    if classes:
        assert model.predict_proba(X).shape == (3000, 3)
        assert np.mean(np.ravel(model.predict(X)) == truth) > 0.9
    else:
        # the network is stopped early and need only do better than the mean
        assert np.mean((model.predict(X) - truth) ** 2) < 0.9 * truth.var()


def test_an_unknown_learner_is_a_mistake() -> None:
    with pytest.raises(Mistake, match="Choose one of"):
        fitted("oracle", X, X[:, 1], features=FEATURES, ordered=frozenset(), classes=True, seed=0)
