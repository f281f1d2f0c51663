"""Relations of a declared target that no pair shows are found and kept in the records, but never invented."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synth.core.domain import Clique, Domain
from synth.core.errors import Mistake
from synth.core.measurements.noisy import NoisyScores
from synth.core.progress import Progress, Reporter, silent
from synth.core.zeros import Zero
from synth.mechanisms.blend import Blend, Grove
from synth.mechanisms.blend import constants as c
from synth.mechanisms.blend.first_pass import first_pass
from synth.mechanisms.blend.measuring import Measuring
from synth.mechanisms.blend.target import Target, TargetScores, score_target
from synth.mechanisms.shared.base import Fitted
from synth.mechanisms.shared.recipe import Recipe
from synth.models.coarse import Coarsening
from tests.exact import Exact
from tests.mechanisms.examples import exact, problem_about

ROWS, RHO = 10_000, 0.02
NAMES = (*"abcdefgh", "y")


def xor(among: int, *, seed: int = 0) -> np.ndarray:
    """Return random binary columns of which the last is the XOR of the first ones."""
    columns = np.random.default_rng(seed).integers(0, 2, (ROWS, len(NAMES) - 1))
    return np.column_stack([columns, columns[:, :among].sum(axis=1) % 2])


def chain(*, codes: int = 5) -> np.ndarray:
    """Return columns that follow each other closely, with strong pairs that explain all relations."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, codes, ROWS)]
    for _ in NAMES[1:]:
        columns.append(np.where(rng.random(ROWS) < 0.7, columns[-1], rng.integers(0, codes, ROWS)))
    return np.column_stack(columns)


def domain_of(rows: np.ndarray) -> Domain:
    return Domain(NAMES[: rows.shape[1]], tuple(int(n) + 1 for n in rows.max(axis=0)))


def scored(
    rows: np.ndarray,
    *,
    rho: float = RHO,
    target: str = "y",
    report: Reporter = silent,
    domain: Domain | None = None,
    ordered: dict[str, int] | None = None,
    records: np.ndarray | None = None,
    noise: Mapping[Clique, float] | None = None,
) -> TargetScores:
    """Return scores against records of a model of all pairs, or against `records`."""
    domain = domain or domain_of(rows)
    problem = problem_about(domain, report=report, ordered=ordered)
    source = exact(rows, domain, rho=rho)
    m = Measuring(
        source=source,
        problem=problem,
        first=first_pass(source, problem),
        coarsening=Coarsening(domain, ()),
        parts={},
        budget=rho,
    )
    wanted = Target(name=target, share=0.05, cells=10**5, may_tile=True)
    return score_target(m, of_pairs(rows, domain) if records is None else records, noise or {}, wanted)


def of_pairs(rows: np.ndarray, domain: Domain) -> np.ndarray:
    """Return records of a model of all pairs."""
    source = exact(rows, domain, rho=RHO)
    fitted = Grove().run(source, problem_about(domain), rng=np.random.default_rng(0))
    return fitted.model.sample(2 * ROWS, np.random.default_rng(0))


def run(rows: np.ndarray, blend: Blend, *, rho: float = RHO, **about: Any) -> Fitted:
    domain = domain_of(rows)
    source = exact(rows, domain, rho=rho)
    fitted = blend.run(source, problem_about(domain, **about), rng=np.random.default_rng(0))
    assert source.left.rho == pytest.approx(0, abs=1e-12)
    return fitted


def right(fitted: Fitted, among: int) -> float:
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    return float((codes[:, :among].sum(axis=1) % 2 == codes[:, -1]).mean())


def test_the_pairs_of_a_target_get_more_than_they_would_without() -> None:
    rows, parts = chain()[:, :6], []
    for target in ("", "c"):
        fitted = run(rows, Blend(target=target))
        pairs = [m for m in fitted.evidence.measurements if len(m.clique) == 2]
        parts.append(sum(m.rho for m in pairs if "c" in m.clique) / sum(m.rho for m in pairs))
    assert parts[1] > 1.2 * parts[0]


@pytest.mark.parametrize(
    "among", [pytest.param(2, marks=pytest.mark.long), 3, pytest.param(4, marks=pytest.mark.long)]
)
def test_an_xor_is_found_measured_and_kept_in_the_records(among: int) -> None:
    fitted = run(xor(among), Blend(target="y"))
    large = [m.clique for m in fitted.evidence.measurements if len(m.clique) > 2]
    assert large == [(*NAMES[:among], "y")]
    assert right(fitted, among) > 0.95
    without = right(run(xor(among), Blend()), among)
    assert without > 0.95 if among < 4 else without == pytest.approx(0.5, abs=0.05)


def test_columns_with_many_codes_are_scored_in_few_and_absent_missing_values_add_none() -> None:
    rng = np.random.default_rng(0)
    parts = rng.integers(0, 2, (ROWS, len(NAMES) - 1))
    rows = np.column_stack([parts * 5 + rng.integers(0, 5, parts.shape), parts[:, 0] ^ parts[:, 1]])
    without, cells = domain_of(rows), []
    for domain in (without, without.with_sizes(dict.fromkeys(NAMES[:-1], 11))):
        found = scored(rows, domain=domain, ordered=dict.fromkeys(NAMES[:-1], 10))
        assert list(found.found) == [("a", "b", "y")]
        assert 0.3 * ROWS < found.found["a", "b", "y"] < 1.1 * ROWS
        cells.append([e.size for e in found.scores[0].score.estimates])  # type: ignore[attr-defined]
    assert cells[0] == cells[1] and max(cells[0]) <= c.MOST_TABLE_CELLS


def test_a_column_with_one_heavy_code_is_still_scored() -> None:
    rng = np.random.default_rng(0)
    rows = xor(2)
    rows[:, 7] = np.where(rng.random(ROWS) < 0.95, 0, rng.integers(0, 12, ROWS))
    scores, *_ = scored(rows).scores
    assert ("a", "h", "y") in scores.score.cliques


@pytest.mark.parametrize("rho", [RHO, 50.0])
def test_what_pairs_explain_does_not_stand_out(rho: float) -> None:
    assert not scored(chain(), rho=rho, target="e").found
    assert not scored(np.random.default_rng(0).integers(0, 3, (ROWS, 9)), rho=rho).found


def test_tables_that_noise_would_hide_are_not_scored() -> None:
    heard: list[Progress] = []
    hidden = scored(xor(2), rho=1e-5, report=heard.append)
    assert not hidden.scores and not hidden.found
    assert "too much noise to score any of 154 tables of y with two to four others" in [p.fact for p in heard]
    few = [len(scored(xor(2), rho=rho).scores[0].values) for rho in (4e-4, RHO)]
    assert few == [28, 154]


def test_tables_that_would_take_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c, "MOST_TARGET_TABLES", 50)
    scores, *_ = scored(xor(2)).scores
    assert {len(r) for r in scores.score.cliques} == {3}


def test_a_table_that_the_tree_cannot_hold_is_not_measured() -> None:
    assert scored(xor(2)).found
    fitted = run(xor(2), Blend(target="y", clique_cells=6))
    assert all(len(m.clique) < 3 for m in fitted.evidence.measurements)


def halves(*, names: int = 8) -> np.ndarray:
    """Return columns of ten codes, and a target that is the XOR of the halves in which the first three
    columns are. In the columns' own codes, a table of them has far too many cells for the noise.
    """
    columns = np.random.default_rng(2).integers(0, 10, (ROWS, names))
    return np.column_stack([columns, (columns[:, :3] > 4).sum(axis=1) % 2])


@pytest.mark.long
def test_a_relation_without_a_clear_table_is_measured_in_tilings() -> None:
    rows, heard, ordered = halves(), list[Progress](), dict.fromkeys(NAMES[:-1], 10)
    fitted = run(rows, Blend(target="y"), rho=0.005, ordered=ordered, report=heard.append)
    found = fitted.evidence
    assert c.TILINGS / 2 < len({repr(m.groups) for m in found.tilings}) == len(found.tilings) <= c.TILINGS
    assert {name for m in found.tilings for name in m.clique} == {"a", "b", "c", "y"}
    assert max(len(m.clique) for m in found.measurements) == 2
    pairs = [m for m in found.measurements if len(m.clique) == 2]
    assert len({m.clique for m in pairs}) == len(pairs) / 2, "every pair twice"
    again = sum(m.rho for m in pairs[len(pairs) // 2 :])
    tiled = sum(m.rho for m in found.tilings)
    assert tiled == pytest.approx(c.TARGET_TABLES * (tiled + again), rel=1e-3)
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    right_halves = (codes[:, :3] > 4).sum(axis=1) % 2 == codes[:, -1]
    # 0.5 by pairs. By tilings, eight tables of this law have 0.75 with a standard deviation of 0.025.
    assert right_halves.mean() > 0.65
    requested = [p for p in heard if p.steps is None and p.stage != "fit"]
    scores = [p for p in requested if p.stage == "score"]
    assert len(scores) == 2 and scores[1].done > 0.2
    assert [p.done for p in requested] == sorted(p.done for p in requested)


@pytest.mark.long
@pytest.mark.parametrize("generator", ["mixture", "refined"])
def test_a_generator_that_reads_no_tilings_gets_pairs_instead(generator: str) -> None:
    rows = halves()
    domain, ordered = domain_of(rows), dict.fromkeys(NAMES[:-1], 10)
    source = exact(rows, domain, rho=0.005)
    recipe = Recipe(mechanism=Blend(target="y"), generator=generator)
    stated = recipe.run(source, problem_about(domain, ordered=ordered), rng=np.random.default_rng(0)).evidence
    assert len(stated.scores) == 3 and stated.tilings == ()
    pairs = [m for m in stated.measurements if len(m.clique) == 2]
    assert len({m.clique for m in pairs}) == len(pairs) / 2, "every pair twice"
    assert source.left.rho == pytest.approx(0, abs=1e-12)


def test_of_few_codes_a_clear_table_is_measured_and_the_interactions_of_pairs_again() -> None:
    """The table is also measured as an interaction if all its three pairs happen to be measured."""
    stated = run(xor(2), Blend(target="y")).evidence
    plain = {m.clique: m for m in stated.measurements if not m.joined}
    interactions = {tuple(a.requested["clique"]): a for a in stated.numbers}
    table = plain.get(("a", "b", "y")) or interactions["a", "b", "y"]
    pairs = [a for a in stated.numbers if len(a.requested["clique"]) == 2]
    assert len({tuple(a.requested["clique"]) for a in pairs}) == len(pairs) / 2
    later = sum(a.units for a in pairs if a.step > table.step)
    assert table.units == pytest.approx(later * 2 / 3, rel=1e-6)


@pytest.mark.long
def test_if_nothing_stands_out_the_pairs_get_all_but_the_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c, "CHEAP", 0.0)  # without a target nothing else is scored
    rows = chain(codes=3)
    stated, alone = (run(rows, b).evidence.measurements for b in (Blend(target="e"), Blend()))
    again: dict[tuple[str, ...], float] = {}
    for m in stated:
        again[m.clique] = again.get(m.clique, 0.0) + m.rho
    once: dict[tuple[str, ...], float] = {}
    for m in alone:
        once[m.clique] = once.get(m.clique, 0.0) + m.rho
    assert again.keys() == once.keys()
    assert all(again[r] == pytest.approx(rho, rel=1e-3) for r, rho in once.items() if len(r) == 1)
    pairs = [r for r in once if len(r) == 2]
    assert sum(again[r] for r in pairs) == pytest.approx(0.9625 * sum(once[r] for r in pairs), rel=1e-3)
    assert all((again[r] > once[r]) == ("e" in r) for r in pairs)  # the target's pairs weigh more


def test_a_table_inside_another_that_stands_out_takes_its_place() -> None:
    """All tables that contain the XOR of two columns have the same distance, but only the smallest one is
    found.
    """
    assert list(scored(xor(2)).found) == [("a", "b", "y")]
    assert scored(xor(2)).columns == ("a", "b")


def test_an_excess_by_chance_does_not_hold_when_it_is_scored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, sizes = Exact.ask, list[int]()

    def lucky(self: Exact, requested: Any) -> Any:
        answers = ask(self, requested)
        if isinstance(answers[0], NoisyScores):
            sizes.append(len(answers[0].values))
            if sizes[-1] == 154:  # the tables of the target
                by_chance = answers[0].values + ROWS * (np.arange(sizes[-1]) == 7)
                answers = [replace(answers[0], values=by_chance)]
        return answers

    monkeypatch.setattr(Exact, "ask", lucky)
    noise = dict.fromkeys(combinations(NAMES, 2), 1.0)
    assert not scored(chain(codes=2), target="e", noise=noise).found and sizes[-2:] == [154, 1]


def test_both_scores_of_few_tables_cost_at_most_the_share() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (ROWS, 3))
    rows[:, 2] = rows[:, 0] ^ rows[:, 1]
    domain = Domain(("a", "b", "y"), (2, 2, 2))
    source = exact(rows, domain, rho=1.0)
    fitted = Blend(target="y", target_share=0.5).run(
        source, problem_about(domain), rng=np.random.default_rng(0)
    )
    _, *batches = fitted.evidence.scores
    assert [len(scores.values) for scores in batches] == [1, 1]
    assert sum(len(scores.values) / (2 * scores.sigma**2) for scores in batches) <= 0.5


def test_what_pairs_may_be_off_by_does_not_stand_out() -> None:
    """Compared with records without a strong pair, the tables of the pair have large distances. They have no
    excess if the pair was not measured or was measured with much noise.
    """
    rows = chain(codes=2)
    blind, pairs = np.random.default_rng(0).integers(0, 2, rows.shape), list(combinations(NAMES, 2))
    assert not scored(rows, noise=dict.fromkeys(pairs, 1.0)).found
    assert scored(rows, records=blind, noise=dict.fromkeys(pairs, 1.0)).found
    assert not scored(rows, records=blind, noise=dict.fromkeys(pairs, float(ROWS))).found
    assert not scored(rows, records=blind).found


@pytest.mark.long
def test_zeros_are_kept_beside_a_table_of_the_target() -> None:
    rows, forbidden = xor(2), np.array([[False, False], [False, True]])
    rows = rows[~forbidden[rows[:, 1], rows[:, 2]]]
    fitted = run(rows, Blend(target="y"), zeros=(Zero(("b", "c"), forbidden),))
    codes = fitted.model.sample(ROWS, np.random.default_rng(0))
    assert not forbidden[codes[:, 1], codes[:, 2]].any()
    assert right(fitted, 2) > 0.95


def test_a_target_that_is_no_column_is_refused_before_any_query() -> None:
    rows = xor(2)
    source = exact(rows, domain_of(rows), rho=RHO)
    with pytest.raises(Mistake, match=r"Target \(target\) is 'z'.*Choose one of: a, b"):
        Blend(target="z").run(source, problem_about(source.domain), rng=np.random.default_rng(0))
    assert source.left.rho == pytest.approx(RHO)
