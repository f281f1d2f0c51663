"""What every entry of the statement has to be that is no sentence."""

from typing import Any

from synth.core.accounting import limit_for
from synth.release.documents.statement import UNUSED
from tests.release.sentences.misfits import misfits

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""

SENTENCES = {
    "promise", "neighbours_explained", "accounting", "noise", "selection", "outside_the_guarantee",
    "trust_model", "known_limits", "not_tested", "means", "further",
}  # fmt: skip
"""Parts of the statement that `test_every_sentence` reads."""


def lapsed_of(run: Run) -> list[dict[str, Any]]:
    """The promise that was raised after an answer, which was of another kind than Gaussian."""
    if run.lapsed is None:
        return []
    epsilon, delta = run.lapsed
    return [{"units": limit_for(epsilon, delta).units, "epsilon": epsilon, "delta": delta}]


def entries(run: Run) -> dict[str, Any]:
    """What the other parts of the statement have to be, worked out from the run."""
    schema, plan = run.plan.schema, run.plan
    parts = list(dict.fromkeys(a.part for a in run.answers))
    not_requested = plan.units - run.own
    spend = [
        {
            "part": part, "units": run.units_of(part), "rho": run.units_of(part) / 10**12,
            "questions": [
                {
                    "step": a.step, "question": a.query["ask"],
                    "cliques": [a.query["clique"]] if "clique" in a.query else [], "units": a.units,
                    "rho": a.units / 10**12,
                }
                for a in run.answers
                if a.part == part
            ],
        }
        for part in parts
    ]  # fmt: skip
    rest = (
        [{"part": UNUSED, "units": not_requested, "rho": not_requested / 10**12, "questions": []}]
        if not_requested
        else []
    )
    parameters = {name: value for name, value in vars(plan.mechanism()).items() if name != "seed"}
    words = run.imprint
    return {
        "format": "marginalia-privacy-statement/1",
        "release": {
            "id": run.release, "name": schema.name, "title": schema.title or schema.name,
            "date": run.receipt["date"], "rehearsal": run.rehearsal,
        },
        "epsilon": plan.epsilon, "delta": plan.delta, "rho": plan.units / 10**12,
        "claim": {"law": "gaussian", "mu": run.mu}
        if run.is_gaussian
        else {"law": "sampled" if run.is_trained else "zcdp", "mu": None},
        "neighbours": "replace-one-unit" if run.replaces else "add-or-remove-one-unit",
        "budget": {
            "rho_per_unit": 1e-12,
            "reserved_units": plan.units,
            "spent_units": run.own,
            "delta_for_bought_lists": sum(a.delta_units for a in run.answers) / 10**18,
        },
        "spend": [*spend, *rest],
        "history": {
            "population": schema.population, "spent_before_units": run.others,
            "spent_with_this_units": run.others + run.own, "reserved_by_open_runs_units": run.held,
            "limit_units": run.limit, "left_units": run.limit - run.others - run.own - run.held,
            "is_gaussian": run.line_law == "gaussian",
            **({"whole_units": run.whole, "law": run.line_law} if run.whole > run.limit else {}),
            "lifetime": {"epsilon": run.lifetime[0], "delta": run.lifetime[1]}, "lapsed": lapsed_of(run),
        },
        "receipt": run.receipt,
        "odds": {
            name: {"right_guesses_in_100": float(guess), "members_detected_in_100": float(caught)}
            for name, (guess, caught) in (
                ("this_release", run.odds),
                ("all_releases_so_far", run.odds_of_all(run.others + run.held)),
                ("lifetime_limit", run.odds_at_limit),
            )
        },
        "decisions_after_private_views": list(words.decisions),
        "imprint": {
            "licence": words.licence,
            "contact": words.contact,
            "purpose": words.purpose,
            "approvers": list(words.approvers),
            **({"beyond": words.beyond} if words.beyond else {}),
        },
        **({"unfit": seen} if (seen := misfits(run)) else {}),
        "parameters": parameters | ({"compress": True} if plan.compress else {}),
    }  # fmt: skip
