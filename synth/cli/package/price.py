"""The price of a run on the command line: its epsilon, its effect on the lifetime budget, and its odds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from synth.core.accounting import delta_of, epsilon_for_odds, exact, in_hundred
from synth.core.errors import Mistake
from synth.core.numbers import per_cent
from synth.core.request import METHOD

if TYPE_CHECKING:
    from synth.core.accounting import Odds
    from synth.private.ledger.quote import Quote


WITHOUT_TRAINING = ", without private training"
"""Condition of the odds at the lifetime limit while all queries are covered by GDP."""


def add_epsilon(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that set epsilon, directly or by a target risk."""
    parser.add_argument(
        "--epsilon",
        type=float,
        help="the privacy budget of this release (required, unless --again, --right-guesses or --detected is "
        "given)",
    )
    parser.add_argument(
        "--right-guesses",
        type=float,
        metavar="N",
        help="instead of --epsilon: the largest epsilon with which an attacker's guess about a person is "
        "right at most N times in 100, such as 55",
    )
    parser.add_argument(
        "--detected",
        type=float,
        metavar="N",
        help="instead of --epsilon: the largest epsilon with which an attacker with 5 false alarms in 100 "
        "detects at most N in 100 members, such as 7",
    )


def epsilon_of(args: argparse.Namespace, earlier: Mapping[str, Any] | None) -> float | None:
    """Return the epsilon that the arguments set, or None if they set none.

    Raises: `Mistake` for an epsilon with a target risk, or for a risk without a delta.
    """
    from synth.release.plan import law_by

    risks = {"guess": args.right_guesses, "caught": args.detected}
    if all(risk is None for risk in risks.values()):
        return None if args.epsilon is None else float(args.epsilon)
    if args.epsilon is not None:
        raise Mistake("Enter --epsilon or a target risk (--right-guesses, --detected), not both.")
    settings = earlier or {}
    delta = settings.get("delta") if args.delta is None else args.delta
    if delta is None:
        raise Mistake("A target risk sets epsilon at a delta. Enter --delta, such as 1e-9.")
    law = law_by(args.method or settings.get("method", METHOD))
    shares = {name: risk / 100 for name, risk in risks.items() if risk is not None}
    return epsilon_for_odds(float(delta), law=law, **shares)


def budget_lines(offer: Quote) -> list[str]:
    """Return lines that show the steward how a run affects the lifetime budget."""
    (epsilon, delta), price = offer.line.lifetime, offer.price
    share, left, after = (per_cent(part, 1) for part in (offer.share, offer.share_left, offer.share_after))
    lines = [
        f"Lifetime    : epsilon {epsilon:.4g} at delta {exact(delta)} for all releases together",
        f"Share of it : {share}; at that delta this run counts as epsilon {offer.claim:.4g}",
        f"Remaining   : {left} now, {after} after; losses add up as squares",
        *odds_lines(offer),
    ]
    if price.delta_units:
        lists = offer.line.delta_left
        lines.append(
            f"Value lists : delta {delta_of(price.delta_units):.3g}; remaining {delta_of(lists):.3g} "
            f"now, {delta_of(lists - price.delta_units):.3g} after"
        )
    if lost := lost_line(offer):
        lines.append(lost)
    return lines


def odds_lines(offer: Quote) -> list[str]:
    """Return lines with the odds of the run, of all releases so far with it, and of the lifetime limit."""
    odds = offer.odds
    return [
        f"Odds        : {odds_words(odds.alone)}",
        f"  so far    : {odds_words(odds.together)}, by all releases with this one",
        f"  at limit  : {odds_words(odds.limit)}{WITHOUT_TRAINING if odds.is_gdp else ''}",
    ]


def odds_words(odds: Odds) -> str:
    """Return odds in words."""
    return (
        f"at most {in_hundred(odds.guess)} right guesses in 100, and {in_hundred(odds.caught)} of 100 "
        "members detected (5 false alarms in 100)"
    )


def lost_line(offer: Quote) -> str:
    """Return a line if the run makes part of the lifetime budget unusable, or an empty text."""
    if not offer.lost:
        return ""
    return (
        f"Lost        : {per_cent(offer.lost, 1)} of the lifetime budget can no longer be used after this "
        "run, the first with private training. The guarantee does not change."
    )
