from dataclasses import replace

from synth.jobs.plan import plan_of


def test_the_plan_holds_no_path_and_no_ledger(toy, canary):
    plan = plan_of(toy)
    assert (plan.epsilon, plan.delta, plan.method, plan.rows, plan.seed) == (1.0, 1e-9, "aim", 500, 11)
    assert canary not in repr(plan)
    assert "sqlite" not in repr(plan)


def test_shares_of_the_budget_reach_the_plan(toy):
    plan = plan_of(replace(toy, preprocess_share=0.25, held_back=0.05))
    assert (plan.preprocess_share, plan.held_back) == (0.25, 0.05)


def test_the_rules_count_and_none_is_none(toy):
    assert len(plan_of(toy).rules.rules) == 1
    assert len(plan_of(replace(toy, rules=None)).rules.rules) == 0
