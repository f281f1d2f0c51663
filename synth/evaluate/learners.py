"""The models that are trained on synthetic rows and tested on real rows.

The models are those of the PrivPGD paper and of the tabular benchmark. No parameter is tuned, so no figure
about a private table depends on choices based on that table. Models are trained on codes: ordered columns as
numbers, other columns as categories if the learner supports them. CatBoost and XGBoost need the extra `ml`.
Packages are imported only when a learner is created, because importing scikit-learn alone takes a second.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.errors import Mistake

LARGEST_CATEGORY = 255
"""Maximum number of codes of a column that histogram boosting can treat as a category."""

EXTRA = ("catboost", "xgboost")
"""Names of learners that need the package of the same name, from the extra `ml`."""

TREES = 300


def is_installed(learner: str) -> bool:
    """Whether the package of a learner is installed."""
    return learner not in EXTRA or find_spec(learner) is not None


def fitted(
    learner: str,
    x: NDArray[np.int64],
    y: NDArray[Any],
    *,
    features: Domain,
    ordered: frozenset[str],
    classes: bool,
    seed: int,
) -> Any:
    """Return a trained model with `predict` and, for classes, `predict_proba`.

    Shapes: `x: int64[rows, len(features)]` codes; `y[rows]`. For classes, `y` has the numbers of the classes,
    0 .. k-1, and every class occurs. Raises: `Mistake` for a learner that is unknown or not installed.
    """
    if learner not in LEARNERS:
        raise Mistake(f"There is no learner {learner!r}. Choose one of: {', '.join(LEARNERS)}.")
    if not is_installed(learner):
        raise Mistake(f"The learner {learner!r} is not installed. Run: pip install 'marginalia[ml]'.")
    nominal = [i for i, name in enumerate(features.names) if name not in ordered]
    return LEARNERS[learner](features, nominal, classes, seed).fit(x, y)


def _boosting(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    categories = [i for i in nominal if features.sizes[i] <= LARGEST_CATEGORY]
    make = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return make(categorical_features=categories, early_stopping=False, random_state=seed)


def _neighbours(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    """Return a classifier or regressor that uses the five nearest neighbours.

    Distances in an ordered column are scaled to its range, from 0 to 1. The distance between two different
    codes of a category is 1.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    numbers = [i for i in range(len(features)) if i not in nominal]
    lengths = np.array([max(features.sizes[i] - 1, 1) for i in numbers])
    codes = [np.arange(features.sizes[i]) for i in nominal]
    halved = make_pipeline(
        OneHotEncoder(categories=codes, sparse_output=False), FunctionTransformer(lambda x: x / np.sqrt(2))
    )
    columns = make_column_transformer(
        (halved, nominal), (FunctionTransformer(lambda x: x / lengths), numbers)
    )
    make = KNeighborsClassifier if classes else KNeighborsRegressor
    return make_pipeline(columns, make(n_neighbors=5))


def _forest(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return (RandomForestClassifier if classes else RandomForestRegressor)(random_state=seed)


def _network(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    """Return a network with one hidden layer of 100 units.

    Training uses early stopping, based on a tenth of the training rows.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

    numbers = [i for i in range(len(features)) if i not in nominal]
    codes = [np.arange(features.sizes[i]) for i in nominal]
    columns = make_column_transformer(
        (OneHotEncoder(categories=codes, sparse_output=False), nominal), (MinMaxScaler(), numbers)
    )
    make = MLPClassifier if classes else MLPRegressor
    return make_pipeline(columns, make(early_stopping=True, max_iter=100, random_state=seed))


def _catboost(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    make = CatBoostClassifier if classes else CatBoostRegressor
    once = {"iterations": TREES, "random_seed": seed, "thread_count": 1}
    return make(cat_features=nominal, verbose=False, allow_writing_files=False, **once)


def _xgboost(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    make = XGBClassifier if classes else XGBRegressor
    return make(n_estimators=TREES, learning_rate=0.1, random_state=seed, n_jobs=1)


LEARNERS = {
    "boosting": _boosting,
    "neighbours": _neighbours,
    "forest": _forest,
    "mlp": _network,
    "catboost": _catboost,
    "xgboost": _xgboost,
}
