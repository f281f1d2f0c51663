"""Divide a budget: convert the priority of each part to a share, so that the shares add up to 1.

Part of the budget may be reserved for later. It stays in the lifetime budget, and this run does not use it.
The rest is divided by weight among the estimation of domains, the method's own parts, target proportions, and
the accuracy check of the finished rows. Everything follows from declarations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from synth.app.project.store import Budget, Method
from synth.core.accounting import ZCDP, Law
from synth.core.errors import Mistake
from synth.core.request import MEANS_SHARE, PREPROCESS_SHARE, SHARES_PART
from synth.core.schema import Neighbours, Outside, Schema
from synth.dictionaries.check import cells_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import Mechanism, Prospect, check_options
from synth.mechanisms.shared.division import Division, adjustable, divided, division_of
from synth.mechanisms.shared.recipe import COMPRESSING
from synth.private.domains.buy import purchases_of
from synth.private.ledger.quote import epsilon_of_rho, rho_of_guarantee
from synth.release.plan import check_law, law_of
from synth.release.verdict.share import usual_share

WEIGHTS = {"off": 0.0, "low": 0.5, "normal": 1.0, "high": 2.0, "max": 4.0}
"""The weight of each priority."""

KEPT = {"off": 0.0, "low": 0.1, "normal": 0.25, "high": 0.5, "max": 0.75}
"""The share of the budget that each priority of `later` reserves."""

DOMAIN, COLUMNS, CHOOSING, RELATIONS = "domain", "columns", "choosing", "relations"
METHOD, SHARES, MEANS, VERDICT, LATER = "method", "shares", "means", "verdict", "later"
PARTS = (DOMAIN, COLUMNS, CHOOSING, RELATIONS, METHOD, SHARES, MEANS, VERDICT, LATER)
DEFAULT_WORDS = {LATER: "off"}
"""Default priorities of parts for which the default is not `normal`."""

_CAN_BE_OFF = (VERDICT, LATER)
_ROWS, _UNKNOWN_CELLS = 10_000, 32
"""Assumed number of rows if it is unknown, and assumed number of values of a domain that is still to be
estimated.
"""

_DECIMALS = 4
"""Number of decimals to which epsilon is rounded down in a run with a reserve for later."""


@dataclass(frozen=True, kw_only=True)
class Allocation:
    """A divided budget. `shares` maps each part, in the order of `PARTS`, to its share, and the shares add up
    to 1.

    `movable` contains the parts whose priority can be changed. The other fields are what a run needs: its
    epsilon, its shares of rho (`shares_part` is for each target proportion, and `means_share` for all means),
    and the method's options. `law` is the accounting rule. `by_column` divides the budget for single columns
    among them. `sizes` contains the number of codes of every column, and `of_interactions` states whether
    the method measures interactions. `pairs` is the approximate number of pairs that the method measures.
    """

    shares: dict[str, float]
    movable: tuple[str, ...]
    epsilon: float
    preprocess_share: float
    verdict: float
    shares_part: float
    means_share: float
    options: dict[str, Any]
    law: Law
    by_column: dict[str, float]
    sizes: dict[str, int]
    of_interactions: bool
    pairs: int

    @property
    def spent(self) -> float:
        """Return the share of the budget that this run spends."""
        return 1 - self.shares.get(LATER, 0.0)


def word_of(budget: Budget, part: str) -> str:
    """Return the chosen or default priority of a part."""
    return budget.weights.get(part, DEFAULT_WORDS.get(part, "normal"))


def words_for(part: str) -> tuple[str, ...]:
    """Return the priorities that a part can have. Necessary parts cannot be off."""
    return tuple(WEIGHTS) if part in _CAN_BE_OFF else tuple(WEIGHTS)[1:]


_PRESETS: dict[str, dict[str, str]] = {
    "balanced": {},
    "columns": {COLUMNS: "max", RELATIONS: "low"},
    "relations": {COLUMNS: "low", RELATIONS: "max"},
    "half": {LATER: "high"},
}
"""The presets by name, each with the priorities that differ from the defaults."""


def presets(movable: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the presets that make a difference for these parts, with a priority for each part."""
    starts = {}
    for name, words in _PRESETS.items():
        if RELATIONS in movable or RELATIONS not in words:
            starts[name] = {part: words.get(part, DEFAULT_WORDS.get(part, "normal")) for part in movable}
    return starts


def preset_of(budget: Budget, movable: Collection[str]) -> str | None:
    """Return the preset that equals the current priorities, if any."""
    here = {part: word_of(budget, part) for part in movable}
    return next((name for name, words in presets(movable).items() if words == here), None)


def allocate(schema: Schema, budget: Budget, method: Method, *, share_count: int = 0) -> Allocation:
    """Divide a budget, with a part that measures `share_count` target proportions (`Rules.measured_shares`).
    Raises: `Mistake` for a method or an option that does not exist.
    """
    mechanism, prospect = mechanism_of(method), _prospect_of(schema, budget)
    own, parts = _own_parts(mechanism, prospect, budget)
    weight = {part: WEIGHTS[word_of(budget, part)] for part in PARTS}
    buys = bool(purchases_of(schema))
    base = {
        DOMAIN: PREPROCESS_SHARE * weight[DOMAIN] if buys else 0.0,
        METHOD: (1 - PREPROCESS_SHARE) * own,
        SHARES: SHARES_PART * weight[SHARES] * share_count,
    }
    if budget.means:
        base[MEANS] = MEANS_SHARE / (1 - MEANS_SHARE) * weight[MEANS] * sum(base.values())
    now = 1 - KEPT[word_of(budget, LATER)]
    law = law_of(schema, method.name)
    rho = rho_of_guarantee(budget.epsilon, budget.delta, law=law) * now
    judged = usual_share(schema, rho=rho, rows=budget.rows_about)
    base[VERDICT] = judged / (1 - judged) * weight[VERDICT] * sum(base.values())
    whole = sum(base.values())
    mine = {name: value / whole for name, value in base.items()}
    configured = mechanism if parts is None else divided(mechanism, parts, prospect)
    shares = {part: mine[part] * now for part in (DOMAIN, SHARES, MEANS, VERDICT) if part in mine} | {
        LATER: 1 - now
    }
    division = division_of(configured, prospect)
    if division is not None and method.compress:
        division = division.after(COMPRESSING)
    if division is None:
        shares[METHOD] = mine[METHOD] * now
    else:
        shares |= {name: share * mine[METHOD] * now for name, share in asdict(division).items()}
    movable = {*adjustable(mechanism), LATER} | ({DOMAIN} if buys else set())
    if judged:
        movable.add(VERDICT)
    if division is None:
        movable.add(METHOD)
    if share_count:
        movable.add(SHARES)
    if budget.means:
        movable.add(MEANS)
    return Allocation(
        shares={part: shares[part] for part in PARTS if shares.get(part) or part in movable},
        movable=tuple(part for part in PARTS if part in movable),
        epsilon=epsilon_now(schema, budget, method),
        law=law,
        by_column=_by_column(schema, prospect, mechanism.column_power),
        sizes=dict(zip((c.name for c in schema.modelled), prospect.sizes, strict=True)),
        of_interactions=mechanism.asks_interactions(prospect.sizes),
        pairs=round(min(mechanism.pairs_per_column * len(prospect.sizes), math.comb(len(prospect.sizes), 2))),
        preprocess_share=mine[DOMAIN] if buys else PREPROCESS_SHARE,
        verdict=mine[VERDICT],
        means_share=mine.get(MEANS, MEANS_SHARE),
        shares_part=mine[SHARES] / share_count if share_count else SHARES_PART,
        options=_changed(method, mechanism, configured),
    )


def trouble(schema: Schema, budget: Budget, method: Method) -> str | None:
    """Return why this method cannot run, as a sentence about its options, the table or the guarantee, or None
    if it can run.
    """
    try:
        name = mechanism_of(method).name
        check_law(schema, name, delta=budget.delta, law=law_of(schema, name))
        check_options(mechanism_of(replace(method, options=allocate(schema, budget, method).options)))
    except Mistake as mistake:
        return str(mistake)
    return None


def _prospect_of(schema: Schema, budget: Budget) -> Prospect:
    """Return what is known about a declared table before a run."""
    sizes = tuple(
        (cells_of(c) or _UNKNOWN_CELLS) + c.blank + (c.outside is Outside.OTHER) for c in schema.modelled
    )
    rho = ZCDP.rho_within(budget.epsilon, budget.delta) * (1 - KEPT[word_of(budget, LATER)])
    return Prospect(
        sizes=sizes, rows=budget.rows_about or _ROWS, sigma=math.sqrt(l2_squared(schema) / (2 * rho))
    )


def _by_column(schema: Schema, prospect: Prospect, power: float) -> dict[str, float]:
    parts = [size**power for size in prospect.sizes]
    return {c.name: part / sum(parts) for c, part in zip(schema.modelled, parts, strict=True)}


def l2_squared(schema: Schema) -> int:
    """Return the squared L2 sensitivity of a table of counts with respect to one privacy unit."""
    return schema.unit.max_rows**2 * (2 if schema.neighbours is Neighbours.REPLACE else 1)


def epsilon_now(schema: Schema, budget: Budget, method: Method) -> float:
    """Return the epsilon of the next run, without the reserve for later."""
    kept = KEPT[word_of(budget, LATER)]
    if not kept:
        return budget.epsilon
    law = law_of(schema, method.name)
    rho = rho_of_guarantee(budget.epsilon, budget.delta, law=law) * (1 - kept)
    epsilon = epsilon_of_rho(rho, budget.delta, law=law)
    return float(max(math.floor(epsilon * 10**_DECIMALS), 1) / 10**_DECIMALS)


def mechanism_of(method: Method) -> Mechanism:
    """Return the configured mechanism. Unknown options are ignored."""
    kind = MECHANISMS.get(method.name, next(iter(MECHANISMS.values())))
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**{name: value for name, value in method.options.items() if name in fields})


def weighted(schema: Mapping[str, Any], importance: Mapping[str, str]) -> dict[str, Any]:
    """Return a schema document with the columns' priorities as weights."""
    columns = [
        {**column, "weight": WEIGHTS[importance[column["name"]]]} if column["name"] in importance else column
        for column in schema["columns"]
    ]
    return {**schema, "columns": columns}


def importance_of(budget: Budget, schema: Schema) -> dict[str, str]:
    """Return the priority of every modelled column: the chosen one, or else the one nearest to its weight in
    the schema.
    """
    return {c.name: budget.importance.get(c.name) or _nearest(c.weight) for c in schema.modelled}


def is_settled(budget: Budget, schema: Schema, *, limit: float | None) -> bool:
    """Return whether a run can use the choices. At least one column needs a priority, and the organisation's
    limit for a release must be kept or exceeded with a reason.
    """
    argued = limit is None or budget.epsilon <= limit or bool(budget.reason)
    return argued and set(importance_of(budget, schema).values()) != {"off"}


def column_weights(budget: Budget, schema: Schema) -> dict[str, float]:
    """Return the weight of every modelled column in the workload."""
    chosen = budget.importance
    return {c.name: WEIGHTS[chosen[c.name]] if c.name in chosen else c.weight for c in schema.modelled}


def _nearest(weight: float) -> str:
    """Return the nearest priority, which is never off for a positive weight."""
    words = [word for word in WEIGHTS if (WEIGHTS[word] > 0) == (weight > 0)]
    return min(words, key=lambda word: abs(WEIGHTS[word] - weight))


def _own_parts(mechanism: Mechanism, prospect: Prospect, budget: Budget) -> tuple[float, Division | None]:
    """Return the weight of the whole method, and its division if that can be changed."""
    movable, base = adjustable(mechanism), division_of(mechanism, prospect)
    if base is None:
        return WEIGHTS[word_of(budget, METHOD)], None
    if not movable:
        return 1.0, None
    weight = {part: WEIGHTS[word_of(budget, part)] if part in movable else 1.0 for part in asdict(base)}
    own = sum(share * weight[part] for part, share in asdict(base).items())
    return own, base.weighted(**weight)


def _changed(method: Method, before: Mechanism, after: Mechanism) -> dict[str, Any]:
    """Return the options of a run: the chosen options, and those that the priorities change."""
    if before == after:
        return dict(method.options)
    values = asdict(after)  # type: ignore[call-overload]
    default = asdict(type(after)())  # type: ignore[call-overload]
    return {name: value for name, value in values.items() if value != default[name]}
