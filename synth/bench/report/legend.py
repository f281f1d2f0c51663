"""What a column of a report says, a sentence each."""

from __future__ import annotations

from collections.abc import Iterable

from synth.bench.metrics import METRICS, Metric
from synth.evaluate.criteria import CRITERIA

_REAL = " Taught on the real rows instead, which is what there is to reach."
_APART = " Against rows held out, which no run has seen."
_ERROR = "0 is best."

SENTENCES = {
    "tvd1": f"Total variation distance of one column at a time, averaged over columns; {_ERROR}",
    "workload_error": (
        "Summed distance between the marginals of the workload and their real ones, weighted as the workload "
        f"weighs them; {_ERROR}"
    ),
    "fidelity": (
        f"Total variation distance of pairs of columns in values, a number as one of 100 levels; {_ERROR}"
    ),
    "covariance": f"How far covariances of codes are from the real ones, relative to these; {_ERROR}",
    "sw1": f"Sliced 1-Wasserstein distance of all pairs, averaged over fixed directions; {_ERROR}",
    "query_error": (
        "Mean absolute difference of shares for random ranges and values of one, two and three columns, "
        f"as the benchmark paper computes it; {_ERROR}"
    ),
    "query_error3": f"The part of those queries that is over three columns; {_ERROR}",
    "wrong": "Share of held-out rows that boosted trees, taught on the synthetic rows, class wrongly.",
    "accuracy_neighbours": "Share of held-out rows that five nearest synthetic neighbours class rightly.",
    "macro_f1": (
        "F1 averaged over classes and learners that are taught on the synthetic rows, on rows held out; 1 is "
        "best."
    ),
    "violations": "How many of the table's rules a synthetic row breaks on average.",
    "seconds": "Wall time from the table in memory to the synthetic table.",
    "cpu_seconds": "CPU time of the same.",
    "peak_mb": "The most memory that the process held.",
    "process_seconds": "Wall time of the whole process, with imports and reading.",
    "command_seconds": "Wall time of the whole release command.",
    "command_peak_mb": "The most memory that the release command held.",
    "covered": "Share of the workload's marginals whose true L1 error is within the bound that was stated.",
    "covered_measured": "The same share, of marginals that were measured.",
    "covered_inferred": "The same share, of marginals that were not measured and whose bound is inferred.",
    "loose_measured": "Median of bound over true error, of marginals that were measured; 1 is tightest.",
    "loose_inferred": "Median of bound over true error, of marginals that were not measured; 1 is tightest.",
    "bins": "Into how many bins a column with a range was cut, on average.",
    "measurements": "How many noisy answers were asked for.",
    "model_cells": "How many cells the tables of the fitted model hold, which sets its time and memory.",
}
_FIXED = {
    "runs": "How many runs with fresh noise the figures are means over.",
    "epsilon": "The promise: the epsilon of differential privacy; a dash for what promises nothing.",
    "gate": "What the check of the entry's spending found; what has not passed counts in no comparison.",
}


def legend(shown: Iterable[Metric], *, gate: bool) -> dict[str, str]:
    """By heading, of the columns that a page has."""
    general = {name: told for name, told in _FIXED.items() if gate or name != "gate"}
    wanted = {metric.name for metric in shown}
    return general | {metric.heading: sentence_of(metric) for metric in METRICS if metric.name in wanted}


def sentence_of(metric: Metric) -> str:
    """What a figure is."""
    name = metric.name
    if name in SENTENCES:
        return SENTENCES[name]
    if name.endswith("_apart"):
        return SENTENCES[name.removesuffix("_apart")] + _APART
    if name.endswith("_real"):
        return _scored(name.removesuffix("_real")) + _REAL
    asked = {criterion.name: criterion.help for criterion in CRITERIA}
    if name in asked:
        return f"Mean error of random questions: {asked[name][0].lower()}{asked[name][1:]} {_ERROR}"
    if name.startswith("tvd"):
        among = "all" if name == "tvd2" else "fixed"
        return f"Total variation distance, averaged over {among} tables of {name[3:]} columns; {_ERROR}"
    return _scored(name)


def _scored(name: str) -> str:
    if name in SENTENCES:
        return SENTENCES[name]
    score, _, learner = name.partition("_")
    how = {"f1": "F1 averaged over classes", "auc": "Area under the ROC curve"}[score]
    return f"{how} of {learner}, taught on the synthetic rows, on rows held out; 1 is best."
