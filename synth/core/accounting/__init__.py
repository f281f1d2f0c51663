"""Compute how privacy costs compose in zCDP, GDP and RDP. Rounding never weakens a guarantee."""

from synth.core.accounting.gaussian import GAUSSIAN
from synth.core.accounting.guarantee import (
    LISTS,
    UNITS_PER_DELTA,
    UNITS_PER_RHO,
    attack_ceiling,
    check_new_delta,
    delta_of,
    lifetime_delta,
    lists_of,
    rho_of,
    units_of,
    usual_delta,
)
from synth.core.accounting.law import Law, Noise, exact, upwards
from synth.core.accounting.limit import (
    DEFAULT_DELTA_UNITS,
    LINE_LAWS,
    Limit,
    Price,
    epsilon_for,
    limit_beside_lists,
    limit_for,
    line_law,
)
from synth.core.accounting.odds import (
    FALSE_ALARMS,
    Odds,
    epsilon_for_odds,
    in_hundred,
    odds_at_limit,
    odds_of,
)
from synth.core.accounting.registry import LAWS, RUN_LAWS, law_facts, law_in, law_named
from synth.core.accounting.sampled import SAMPLED
from synth.core.accounting.zcdp import MIXED, ZCDP

__all__ = [
    "DEFAULT_DELTA_UNITS",
    "FALSE_ALARMS",
    "GAUSSIAN",
    "LAWS",
    "LINE_LAWS",
    "LISTS",
    "MIXED",
    "RUN_LAWS",
    "SAMPLED",
    "UNITS_PER_DELTA",
    "UNITS_PER_RHO",
    "ZCDP",
    "Law",
    "Limit",
    "Noise",
    "Odds",
    "Price",
    "attack_ceiling",
    "check_new_delta",
    "delta_of",
    "epsilon_for",
    "epsilon_for_odds",
    "exact",
    "in_hundred",
    "law_facts",
    "law_in",
    "law_named",
    "lifetime_delta",
    "limit_beside_lists",
    "limit_for",
    "line_law",
    "lists_of",
    "odds_at_limit",
    "odds_of",
    "rho_of",
    "units_of",
    "upwards",
    "usual_delta",
]
