"""The order of products and sums."""

from itertools import combinations

from synth.core.domain import Clique, Domain
from synth.models.pgm.schedule import Schedule


def masks_of(domain: Domain, cliques: list[Clique]) -> list[int]:
    return [sum(1 << i for i in domain.axes(clique)) for clique in cliques]


def test_every_factor_is_used_once_and_summed_if_measured(domain: Domain, cliques: list[Clique]) -> None:
    measured = len(cliques) // 2
    plan = Schedule.of(domain, masks_of(domain, cliques), measured)
    used = [p.right for merges in plan.products for p in merges]
    used += [p.left for merges in plan.products for p in merges if p.left != p.out]
    used += plan.beliefs
    operands = [s for s in used if s < plan.one]
    bundles = plan.bundles
    assert sorted(operands) == sorted({*range(len(bundles.masks)), *map(plan.message, plan.tree.order[1:])})
    summed = {step.target for steps in plan.downward for step in steps} | set(plan.beliefs)
    assert summed >= {*range(bundles.measured), *map(plan.message, plan.tree.order[1:])}


def test_pairs_in_one_large_clique_need_few_products_of_its_size() -> None:
    domain = Domain(tuple("abcdefgh"), (2,) * 8)
    pairs = list(combinations(domain.names, 2))
    plan = Schedule.of(domain, masks_of(domain, pairs), len(pairs))
    full = [p for p in plan.products[0] if plan.slots[p.out] == 0b11111111]
    assert len(plan.tree.masks) == 1 and len(full) < len(pairs) / 3
