"""The predictors of train-on-synthetic-test-on-real: boosted trees, and the five nearest neighbours.

Nothing is tuned, so no figure of a private table depends on a choice made with it. Learners see codes:
columns in order as numbers, others as categories. scikit-learn takes a second to import, so it is imported
when a learner is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.core.domain import Domain
from synth.core.errors import Mistake

LARGEST_CATEGORY = 255
"""Codes of a category that histogram boosting can take as one."""


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
    """A trained model with `predict` and, for classes, `predict_proba`.

    Shapes: `x: int64[rows, len(features)]` codes; `y[rows]`, for classes their numbers 0 .. k-1, all there.
    Raises: `Mistake` for an unknown learner.
    """
    if learner not in LEARNERS:
        raise Mistake(f"There is no learner {learner!r}. Choose one of: {', '.join(LEARNERS)}.")
    nominal = [i for i, name in enumerate(features.names) if name not in ordered]
    return LEARNERS[learner](features, nominal, classes, seed).fit(x, y)


def _boosting(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    categories = [i for i in nominal if features.sizes[i] <= LARGEST_CATEGORY]
    make = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return make(categorical_features=categories, early_stopping=False, random_state=seed)


def _neighbours(features: Domain, nominal: list[int], classes: bool, seed: int) -> Any:
    """Five nearest, in parts of each column's length; another code of a category is that whole length."""
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


LEARNERS = {"boosting": _boosting, "neighbours": _neighbours}
