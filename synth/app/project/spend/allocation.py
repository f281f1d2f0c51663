"""How the steward's words divide a budget: from five words per part to shares that always total one.

The budget typed is what the steward is ready to spend on this table. One part may be kept for later: it is
not reserved, it simply stays in the lifetime budget, and this run is priced without it. The rest is divided
by weight between what the schema leaves open, the method's own parts, and pairs held back for comparing.
No streamlit and no file: everything follows from declarations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from synth.app.project.store import Budget, Method
from synth.core.accounting import ZCDP, Law
from synth.core.errors import Mistake
from synth.core.request import PREPROCESS_SHARE, SHARES_PART
from synth.core.schema import Neighbours, Outside, Schema
from synth.dictionaries.check import cells_of
from synth.mechanisms import MECHANISMS
from synth.mechanisms.base import Mechanism, Prospect, check_options
from synth.mechanisms.division import Division, adjustable, divided, division_of
from synth.mechanisms.recipe import COMPRESSING
from synth.private.domains.buy import purchases_of
from synth.private.ledger.quote import epsilon_of_rho, rho_of_guarantee
from synth.release.plan import check_law, law_of

WEIGHTS = {"off": 0.0, "low": 0.5, "normal": 1.0, "high": 2.0, "max": 4.0}
"""The five words."""

KEPT = {"off": 0.0, "low": 0.1, "normal": 0.25, "high": 0.5, "max": 0.75}
"""The same words for what is kept for later: shares of the whole, for a promise to keep half keeps half."""

DOMAIN, COLUMNS, CHOOSING, RELATIONS = "domain", "columns", "choosing", "relations"
METHOD, SHARES, COMPARISON, LATER = "method", "shares", "comparison", "later"
PARTS = (DOMAIN, COLUMNS, CHOOSING, RELATIONS, METHOD, SHARES, COMPARISON, LATER)
DEFAULT_WORDS = {LATER: "off"}
"""The words before anybody has chosen, where they are not `normal`."""

_CAN_BE_OFF = (COMPARISON, LATER)
_SHARE_OF_COMPARISON = 0.05
_ROWS, _UNBOUGHT = 10_000, 32
"""A table nobody has told the size of, and a column whose values are still to be bought."""

_DECIMALS = 4
"""Of the epsilon of a run that keeps something for later, rounded down."""


@dataclass(frozen=True, kw_only=True)
class Allocation:
    """A budget divided. `shares` of the whole by part, in the order of `PARTS`; they total 1.

    `movable` are the parts with a word of their own. The rest is what a run of the engine needs: its epsilon,
    its parts of rho (`shares_part` is that of each share of records that is bought), and the method's
    options. `law` says by which curve it is priced; `by_column` is what each column gets of the part for
    single columns; one whose domain is still to be bought is taken as a usual one. `interactions` are the
    codes of every column if the method asks for interactions (`measurements.interactions`), else there are
    none. `pairs`: about how many pairs the method measures, of all there are.
    """

    shares: dict[str, float]
    movable: tuple[str, ...]
    epsilon: float
    preprocess_share: float
    held_back: float
    shares_part: float
    options: dict[str, Any]
    law: Law
    by_column: dict[str, float]
    interactions: dict[str, int]
    pairs: int

    @property
    def spent(self) -> float:
        """The share of the whole that this run spends."""
        return 1 - self.shares.get(LATER, 0.0)


def word_of(budget: Budget, part: str) -> str:
    """The word a part has: chosen, or the default."""
    return budget.weights.get(part, DEFAULT_WORDS.get(part, "normal"))


def words_for(part: str) -> tuple[str, ...]:
    """The words a part can have; what a release cannot do without is never off."""
    return tuple(WEIGHTS) if part in _CAN_BE_OFF else tuple(WEIGHTS)[1:]


_PRESETS: dict[str, dict[str, str]] = {
    "balanced": {},
    "columns": {COLUMNS: "max", RELATIONS: "low", COMPARISON: "off"},
    "relations": {COLUMNS: "low", RELATIONS: "max", COMPARISON: "off"},
    "half": {LATER: "high"},
}
"""Named starting points: the words that differ from the defaults."""


def presets(movable: Collection[str]) -> dict[str, dict[str, str]]:
    """The presets that make a difference where these parts can be moved: a word for each of the parts."""
    starts = {}
    for name, words in _PRESETS.items():
        if RELATIONS in movable or RELATIONS not in words:
            starts[name] = {part: words.get(part, DEFAULT_WORDS.get(part, "normal")) for part in movable}
    return starts


def preset_of(budget: Budget, movable: Collection[str]) -> str | None:
    """The preset that the words are, if they are one."""
    here = {part: word_of(budget, part) for part in movable}
    return next((name for name, words in presets(movable).items() if words == here), None)


def allocate(schema: Schema, budget: Budget, method: Method, *, bought: int = 0) -> Allocation:
    """Divide a budget; `bought` shares of records are bought with a part of it (`Rules.bought_shares`).

    Raises: `Mistake` for a method or an option that does not exist.
    """
    mechanism, prospect = mechanism_of(method), _prospect_of(schema, budget)
    own, parts = _own_parts(mechanism, prospect, budget)
    weight = {part: WEIGHTS[word_of(budget, part)] for part in PARTS}
    buys = bool(purchases_of(schema))
    base = {
        DOMAIN: PREPROCESS_SHARE * weight[DOMAIN] if buys else 0.0,
        METHOD: (1 - PREPROCESS_SHARE) * own,
        SHARES: SHARES_PART * weight[SHARES] * bought,
        COMPARISON: _SHARE_OF_COMPARISON * weight[COMPARISON],
    }
    whole = sum(base.values())
    now = 1 - KEPT[word_of(budget, LATER)]
    law = law_of(schema, method.name)
    mine = {name: value / whole for name, value in base.items()}
    configured = mechanism if parts is None else divided(mechanism, parts, prospect)
    shares = {DOMAIN: mine[DOMAIN] * now, COMPARISON: mine[COMPARISON] * now, LATER: 1 - now}
    shares[SHARES] = mine[SHARES] * now
    division = division_of(configured, prospect)
    if division is not None and method.compress:
        division = division.after(COMPRESSING)
    if division is None:
        shares[METHOD] = mine[METHOD] * now
    else:
        shares |= {name: share * mine[METHOD] * now for name, share in asdict(division).items()}
    movable = {*adjustable(mechanism), COMPARISON, LATER} | ({DOMAIN} if buys else set())
    if division is None:
        movable.add(METHOD)
    if bought:
        movable.add(SHARES)
    return Allocation(
        shares={part: shares[part] for part in PARTS if shares.get(part) or part in movable},
        movable=tuple(part for part in PARTS if part in movable),
        epsilon=epsilon_now(schema, budget, method),
        law=law,
        by_column=_by_column(schema, prospect, mechanism.column_power),
        interactions=(
            dict(zip((c.name for c in schema.modelled), prospect.sizes, strict=True))
            if mechanism.asks_interactions(prospect.sizes)
            else {}
        ),
        pairs=round(min(mechanism.pairs_per_column * len(prospect.sizes), math.comb(len(prospect.sizes), 2))),
        preprocess_share=mine[DOMAIN] if buys else PREPROCESS_SHARE,
        held_back=mine[COMPARISON],
        shares_part=mine[SHARES] / bought if bought else SHARES_PART,
        options=_changed(method, mechanism, configured),
    )


def trouble(schema: Schema, budget: Budget, method: Method) -> str | None:
    """What is wrong with a run by this method, in a sentence: its options, or a table or promise under which
    its answers have no price; None if it can be."""
    try:
        name = mechanism_of(method).name
        check_law(schema, name, delta=budget.delta, law=law_of(schema, name))
        check_options(mechanism_of(replace(method, options=allocate(schema, budget, method).options)))
    except Mistake as mistake:
        return str(mistake)
    return None


def _prospect_of(schema: Schema, budget: Budget) -> Prospect:
    """What is known beforehand of a run on a declared table; what is still to be bought is taken as usual."""
    sizes = tuple(
        (cells_of(c) or _UNBOUGHT) + c.blank + (c.outside is Outside.OTHER) for c in schema.modelled
    )
    rho = ZCDP.rho_within(budget.epsilon, budget.delta) * (1 - KEPT[word_of(budget, LATER)])
    return Prospect(
        sizes=sizes, rows=budget.rows_about or _ROWS, sigma=math.sqrt(l2_squared(schema) / (2 * rho))
    )


def _by_column(schema: Schema, prospect: Prospect, power: float) -> dict[str, float]:
    parts = [size**power for size in prospect.sizes]
    return {c.name: part / sum(parts) for c, part in zip(schema.modelled, parts, strict=True)}


def l2_squared(schema: Schema) -> int:
    """The square of how far one unit of protection moves a table of counts."""
    return schema.unit.max_rows**2 * (2 if schema.neighbours is Neighbours.REPLACE else 1)


def epsilon_now(schema: Schema, budget: Budget, method: Method) -> float:
    """The epsilon of the next run: the whole one, or the one of the rho that is not kept for later."""
    kept = KEPT[word_of(budget, LATER)]
    if not kept:
        return budget.epsilon
    law = law_of(schema, method.name)
    rho = rho_of_guarantee(budget.epsilon, budget.delta, law=law) * (1 - kept)
    epsilon = epsilon_of_rho(rho, budget.delta, law=law)
    return float(max(math.floor(epsilon * 10**_DECIMALS), 1) / 10**_DECIMALS)


def mechanism_of(method: Method) -> Mechanism:
    """The configured mechanism; options that it does not have are left out."""
    kind = MECHANISMS.get(method.name, next(iter(MECHANISMS.values())))
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**{name: value for name, value in method.options.items() if name in fields})


def weighted(schema: Mapping[str, Any], importance: Mapping[str, str]) -> dict[str, Any]:
    """A schema document with the columns' words as weights; columns without a word keep their own."""
    columns = [
        {**column, "weight": WEIGHTS[importance[column["name"]]]} if column["name"] in importance else column
        for column in schema["columns"]
    ]
    return {**schema, "columns": columns}


def importance_of(budget: Budget, schema: Schema) -> dict[str, str]:
    """The word of every modelled column: chosen, or nearest to the weight the schema gives it."""
    return {c.name: budget.importance.get(c.name) or _nearest(c.weight) for c in schema.modelled}


def is_settled(budget: Budget, schema: Schema, *, limit: float | None) -> bool:
    """Whether the choices can be run with: some column matters, and the organisation's limit for a release is
    kept or argued with."""
    argued = limit is None or budget.epsilon <= limit or bool(budget.reason)
    return argued and set(importance_of(budget, schema).values()) != {"off"}


def column_weights(budget: Budget, schema: Schema) -> dict[str, float]:
    """The weight of every modelled column in the workload."""
    chosen = budget.importance
    return {c.name: WEIGHTS[chosen[c.name]] if c.name in chosen else c.weight for c in schema.modelled}


def _nearest(weight: float) -> str:
    """A column that counts for a little is not off."""
    words = [word for word in WEIGHTS if (WEIGHTS[word] > 0) == (weight > 0)]
    return min(words, key=lambda word: abs(WEIGHTS[word] - weight))


def _own_parts(mechanism: Mechanism, prospect: Prospect, budget: Budget) -> tuple[float, Division | None]:
    """The weight of the method as a whole, and its parts by weight if it can move them."""
    movable, base = adjustable(mechanism), division_of(mechanism, prospect)
    if base is None:
        return WEIGHTS[word_of(budget, METHOD)], None
    if not movable:
        return 1.0, None
    weight = {part: WEIGHTS[word_of(budget, part)] if part in movable else 1.0 for part in asdict(base)}
    own = sum(share * weight[part] for part, share in asdict(base).items())
    return own, base.weighted(**weight)


def _changed(method: Method, before: Mechanism, after: Mechanism) -> dict[str, Any]:
    """The options of a run: the chosen ones, and those the words have moved."""
    if before == after:
        return dict(method.options)
    values = asdict(after)  # type: ignore[call-overload]
    default = asdict(type(after)())  # type: ignore[call-overload]
    return {name: value for name, value in values.items() if value != default[name]}
