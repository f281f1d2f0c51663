"""Options that several mechanisms share, with the same labels and limits everywhere."""

from __future__ import annotations

from typing import Any

from synth.core.options import option


def capacity() -> Any:
    """Return the option for the maximum size of the junction tree, in MB."""
    return option(
        8.0, label="Model capacity", help="Largest size of the junction tree.", low=0.1, high=512, unit="MB"
    )


def _share(default: float, label: str, help: str, low: float, high: float, part: str) -> Any:
    return option(default, label=label, help=help, low=low, high=high, part=part)


def columns_share(default: float, *, high: float) -> Any:
    """Return the option for the budget share of single columns."""
    return _share(default, "Columns share", "Share of the budget for single columns.", 0.01, high, "columns")


def round_columns_share() -> Any:
    """Return the option for the budget share of single columns, where 0 gives each column the cost of one
    round.
    """
    text = (
        "Share of the budget for single columns. 0 gives each column the cost of one round, as in the paper."
    )
    return _share(0.0, "Columns share", text, 0, 0.9, "columns")


def decided_columns_share() -> Any:
    """Return the option for the budget share of single columns, where 0 means that the share is computed from
    column sizes, the record count and the noise (`mechanisms.selection.split.one_way_share`).
    """
    text = "Share of the budget for single columns. 0 computes it from column sizes, row count and noise."
    return _share(0.0, "Columns share", text, 0, 0.9, "columns")


def decided_looking_share() -> Any:
    """Return the option for the budget share of the scores of all pairs, where 0 means
    `first_pass.likely_scoring`.
    """
    text = (
        "Share of the budget for scoring how far each pair is from independence. 0 computes it: 5%, or "
        "less if less is enough."
    )
    return _share(0.0, "Scoring share", text, 0, 0.5, "choosing")


def scores_share() -> Any:
    """Return the option for the budget share of the scores of all pairs."""
    return _share(
        0.1, "Scores share", "Share of the budget for the scores of all pairs.", 0.01, 0.9, "choosing"
    )


def choosing_share(default: float, *, what: str) -> Any:
    """Return the option for the budget share of selecting queries."""
    return _share(
        default, "Selection share", f"Share of the budget for finding {what}.", 0.01, 0.49, "choosing"
    )


def measuring_share() -> Any:
    """Return the option for the share of a round's budget that is spent on measuring. The rest is spent on
    selecting.
    """
    return _share(
        0.9, "Measuring share", "Share of a round's cost that is spent on measuring.", 0.5, 0.99, "measuring"
    )


def label_option() -> Any:
    """Return the option for the label column. A record votes only for candidates with the same value in this
    column.
    """
    return option(
        "",
        label="Label",
        help=("A column with few values. Rows vote only for records with the same value. Empty: no label."),
        is_column=True,
    )


def rounds_option(default: int) -> Any:
    """Return the option for the number of rounds of votes."""
    return option(default, label="Votes", help="Number of rounds of votes.", low=1, high=100)


def candidates_option(default: int) -> Any:
    """Return the option for the number of candidate records in one round of votes."""
    return option(
        default, label="Candidates", help="Number of candidate records in one round.", low=10, high=2500
    )


def chance() -> Any:
    """Return the option for the probability that a row is in the sample of a step."""
    return option(
        0.04,
        label="Sampling rate",
        help="Probability that a row is in the sample of a step.",
        low=0.0001,
        high=1,
    )


def clipping(default: float) -> Any:
    """Return the option for the maximum norm of a row's gradient."""
    return option(
        default,
        label="Clip",
        help="Maximum length of the gradient of one row.",
        low=0.001,
        high=100,
    )
