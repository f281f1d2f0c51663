"""The predictors of train-on-synthetic-test-on-real, each with its makers' defaults or near them.

Nothing is tuned here, so that no figure of a private table rests on a choice made with it; `options` are for
public tables, whose learners the benchmark papers tune on real rows (`bench.tuning`). CatBoost and XGBoost
come with the extra `ml`; the others are scikit-learn's, which takes a second to import and is imported when a
learner is made. All see codes: columns in order as numbers, others as categories where the learner knows what
that is.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.errors import Mistake

LARGEST_CATEGORY = 255
"""Codes of a category that histogram boosting can take as one."""

PACKAGE = {"catboost": "catboost", "xgboost": "xgboost"}
"""What has to be installed for a learner beyond the project's own requirements."""

TREES = 300


def missing_package(learner: str) -> str | None:
    """The package that a learner needs and that is not installed."""
    package = PACKAGE.get(learner)
    return package if package is not None and find_spec(package) is None else None


def check_learner(learner: str) -> None:
    """Raises: `Mistake` for an unknown learner or one whose package is not installed."""
    if learner not in LEARNERS:
        raise Mistake(f"There is no learner {learner!r}. Choose one of: {', '.join(LEARNERS)}.")
    package = missing_package(learner)
    if package is not None:
        raise Mistake(f"The learner {learner!r} needs the package {package}: pip install 'marginalia[ml]'.")


def fitted(
    learner: str,
    x: NDArray[np.int64],
    y: NDArray[Any],
    *,
    features: Domain,
    ordered: frozenset[str],
    classes: bool,
    seed: int,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """A trained model with `predict` and, for classes, `predict_proba`.

    Shapes: `x: int64[rows, len(features)]` codes; `y[rows]`, for classes their numbers 0 .. k-1, all there.
    `options` are the learner's own, by the names that its makers give them.
    Raises: `Mistake` as `check_learner`.
    """
    from sklearn.exceptions import ConvergenceWarning

    check_learner(learner)
    nominal = [i for i, name in enumerate(features.names) if name not in ordered]
    model = LEARNERS[learner](features, nominal, classes=classes, seed=seed, options=dict(options or {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, y)


def _boosting(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, Any]
) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    categories = [i for i in nominal if features.sizes[i] <= LARGEST_CATEGORY]
    make = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    told = {"early_stopping": False, "random_state": seed} | options
    return make(categorical_features=categories, **told)


def _forest(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, Any]
) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    make = RandomForestClassifier if classes else RandomForestRegressor
    return make(**{"n_estimators": 100, "random_state": seed} | options)


def _network(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, Any]
) -> Any:
    """One hidden layer of 100, stopped early on a tenth of its own training rows."""
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
    told = {"early_stopping": True, "max_iter": 100, "random_state": seed} | options
    return make_pipeline(columns, make(**told))


def _neighbours(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, Any]
) -> Any:
    """Five nearest, in parts of each column's length; another code of a category is that whole length."""
    from sklearn.compose import make_column_transformer
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    numbers = [i for i in range(len(features)) if i not in nominal]
    lengths = np.array([max(features.sizes[i] - 1, 1) for i in numbers])
    codes = [np.arange(features.sizes[i]) for i in nominal]
    columns = make_column_transformer(
        (
            make_pipeline(
                OneHotEncoder(categories=codes, sparse_output=False),
                FunctionTransformer(lambda x: x / np.sqrt(2)),
            ),
            nominal,
        ),
        (FunctionTransformer(lambda x: x / lengths), numbers),
    )
    make = KNeighborsClassifier if classes else KNeighborsRegressor
    return make_pipeline(columns, make(**{"n_neighbors": 5} | options))


def _catboost(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, Any]
) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    make = CatBoostClassifier if classes else CatBoostRegressor
    told = {"iterations": TREES, "random_seed": seed, "thread_count": 1} | options
    return make(cat_features=nominal, verbose=False, allow_writing_files=False, **told)


def _xgboost(
    features: Domain, nominal: list[int], *, classes: bool, seed: int, options: dict[str, Any]
) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    make = XGBClassifier if classes else XGBRegressor
    told = {"n_estimators": TREES, "learning_rate": 0.1, "random_state": seed, "n_jobs": 1} | options
    return make(**told)


LEARNERS = {
    "boosting": _boosting,
    "forest": _forest,
    "mlp": _network,
    "neighbours": _neighbours,
    "catboost": _catboost,
    "xgboost": _xgboost,
}
