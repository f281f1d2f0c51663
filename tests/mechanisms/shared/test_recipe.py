"""Selection, merging and generation are chosen separately, and unsuitable combinations are refused with a
reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Mistake
from synth.core.evidence import Evidence
from synth.core.model import Model
from synth.core.options import options_of
from synth.core.zeros import Zero
from synth.mechanisms import MECHANISMS
from synth.mechanisms.blend import Grove
from synth.mechanisms.mst import MST
from synth.mechanisms.shared.answers import evidence_of
from synth.mechanisms.shared.base import Fitted, Mechanism, Problem
from synth.mechanisms.shared.recipe import (
    COMPRESSING,
    Recipe,
    configured,
    every_recipe,
    followers,
    objection,
    recipe_of,
)
from synth.models.base import Generator
from synth.models.blend.refined import RefinedRecords
from synth.models.independent import IndependentColumns
from synth.models.registry import GENERATORS
from synth.private.queries import Marginal
from synth.private.source import Source
from synth.release.documents.statement import SOMETIMES
from tests.mechanisms.examples import exact, problem_about

DOMAIN = Domain(("job", "age", "sex"), (40, 30, 2))


def rows(count: int = 5_000) -> np.ndarray:
    """Return a few frequent and many rare jobs, and ages that become rarer. Both columns depend on each
    other.
    """
    rng = np.random.default_rng(5)
    job = np.minimum(rng.geometric(0.35, count) - 1, 39)
    job[:39] = np.arange(1, 40)
    age = np.minimum((rng.exponential(5, count) + job % 3 * 4).astype(int), 29)
    return np.stack([job, age, job % 2], axis=1)


def run(mechanism: Mechanism, *, rho: float, zeros: tuple[Zero, ...] = (), **more: object) -> Fitted:
    source = exact(rows(), DOMAIN, rho=rho)
    problem = problem_about(DOMAIN, zeros=zeros, ordered={"age": 30})
    recipe = Recipe(mechanism=mechanism, **more)  # type: ignore[arg-type]
    return recipe.run(source, problem, rng=np.random.default_rng(0))


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_method_can_be_followed_by_its_own_generator_and_says_why_not_by_others(name: str) -> None:
    kind = MECHANISMS[name]
    assert followers(kind)[0] == kind.generator and objection(kind, kind.generator) is None
    for generator in GENERATORS:
        why = objection(kind, generator)
        if why is None:
            assert Recipe(mechanism=kind(), generator=generator).follower.name == generator
        else:
            assert why.endswith(".") and kind.title in why
            with pytest.raises(Mistake, match="cannot be used with"):
                Recipe(mechanism=kind(), generator=generator)


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(Mistake, match=r"'magic'.*refined"):
        Recipe(mechanism=MST(), generator="magic")
    with pytest.raises(Mistake, match="always merges them itself"):
        Recipe(mechanism=MECHANISMS["grove"](), compress=True)


@pytest.mark.parametrize("words", every_recipe())
def test_every_route_can_be_named(words: str) -> None:
    assert recipe_of(words).words == words


def test_words_that_are_no_route_are_quoted() -> None:
    for words, said in (("magic", "'magic'"), ("mst+magic", "'magic'"), ("mst+pgm+refined", "more than one")):
        with pytest.raises(Mistake, match=said):
            recipe_of(words)
    with pytest.raises(Mistake, match="speed"):
        recipe_of("mst", {"speed": 3})
    assert recipe_of("mst", {"capacity_mb": 2.0}).mechanism == MST(capacity_mb=2.0)


def test_a_first_look_is_taken_in_all_codes_and_the_method_asks_in_fewer() -> None:
    fitted = run(MST(), rho=0.5, compress=True)
    first, later = fitted.evidence.measurements[:3], fitted.evidence.measurements[3:]
    assert [m.clique for m in first] == [("job",), ("age",), ("sex",)] and not any(m.groups for m in first)
    assert sum(m.rho for m in first) == pytest.approx(0.5 * COMPRESSING, rel=1e-6)
    assert all(set(m.groups) == set(m.clique) - {"sex"} for m in later)
    pair = next(m for m in later if m.clique == ("job", "age"))
    assert pair.counts.shape < (20, 25) and pair.counts.sum() == 5_000
    assert fitted.model.domain == DOMAIN


def test_neighbours_merge_in_a_column_in_order_and_only_rare_values_elsewhere() -> None:
    groups = next(
        m for m in run(MST(), rho=0.5, compress=True).evidence.measurements if len(m.groups) == 2
    ).groups
    ages, jobs = np.array(groups["age"]), np.array(groups["job"])
    assert set(np.diff(ages)) <= {0, 1}
    counts = np.bincount(rows()[:, 0], minlength=40)
    sizes = np.bincount(jobs)
    assert np.all(sizes[jobs[counts > 500]] == 1) and np.mean(sizes[jobs[counts < 5]] > 1) > 0.9


@pytest.mark.parametrize("generator", [None, "refined", "independent"])
def test_merged_values_are_drawn_apart_as_often_as_they_came(generator: str | None) -> None:
    """Answers are exact here, so a column keeps its counts except for smoothing."""
    fitted = run(MST(), rho=0.5, compress=True, generator=generator)
    codes = fitted.model.sample(5_000, np.random.default_rng(0))
    for i, size in enumerate(DOMAIN.sizes):
        truth = np.bincount(rows()[:, i], minlength=size)
        assert np.abs(np.bincount(codes[:, i], minlength=size) - truth).sum() < 0.05 * 2 * 5_000
    rare = fitted.model.project(("job",))[20:]
    assert 0.5 * 20 < rare.sum() < 3 * 20


def test_values_that_a_zero_tells_apart_are_never_merged() -> None:
    forbidden = np.zeros((40, 2), dtype=bool)
    forbidden[np.arange(40) % 2 == 0, 1] = forbidden[np.arange(40) % 2 == 1, 0] = True
    fitted = run(MST(), rho=0.5, zeros=(Zero(("job", "sex"), forbidden),), compress=True)
    codes = fitted.model.sample(3_000, np.random.default_rng(0))
    assert np.all(codes[:, 0] % 2 == codes[:, 2]) and codes[:, 0].max() > 5


def edges() -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each option at each limit, and all options at their limits together. The largest number of rounds
    and the literal form of a paper are excluded, because they only take very long.
    """
    for name, kind in MECHANISMS.items():
        options = [f for f in options_of(kind) if not f.metadata["literal"]]
        for edge in ("low", "high"):
            limited = [f for f in options if f.metadata[edge] is not None]
            at = {f.name: f.metadata[edge] for f in limited if (f.name, edge) != ("rounds", "high")}
            yield name, at
            yield from ((name, {option: value}) for option, value in at.items())


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), list(edges()))
def test_options_at_their_limits_run_or_are_refused_first(name: str, options: dict[str, float]) -> None:
    try:
        mechanism = configured(name, options)
    except Mistake as mistake:
        assert "Lower one of them" in str(mistake)
        return
    small = Domain(("a", "b", "c"), (3, 4, 2))
    codes = np.random.default_rng(0).integers(0, (3, 4, 2), (400, 3))
    source = exact(codes, small, rho=0.5)
    problem = problem_about(small)
    fitted = Recipe(mechanism=mechanism).run(source, problem, rng=np.random.default_rng(0))
    assert fitted.model.sample(50, np.random.default_rng(0)).shape == (50, 3)


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("mst", {"columns_share": 0.49, "choosing_share": 0.49}, "leave too little"),
        ("absyn", {"columns_share": 0.6, "scores_share": 0.5}, r"_share\) 0.6 and .* \(scores_share\) 0.5"),
        ("grove", {"columns_share": 0.6, "looking_share": 0.5}, "leave too little"),
        ("aim", {"alpha": 1.5}, r"alpha.* is 1.5. Allowed: 0.5 to 0.99"),
        ("aim", {"alpha": float("nan")}, "is nan"),
        ("grove", {"columns_share": "0.5"}, "must be a number"),
        ("privmrf", {"theta": "x"}, "must be a number"),
        ("mwem", {"rounds": -3}, "is -3"),
        ("mwem", {"rounds": 2.5}, "must be a whole number"),
        ("mwem", {"rounds": True}, "must be a whole number"),
    ],
)
def test_values_no_run_could_keep_are_refused(name: str, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(Mistake, match=sentence):
        configured(name, options)


IN_THE_LOOP = [(name, generator) for name, kind in MECHANISMS.items() for generator in followers(kind)]


@pytest.mark.long
@pytest.mark.parametrize(("name", "generator"), IN_THE_LOOP)
def test_a_mechanism_works_with_any_generator_that_suits_it(name: str, generator: str) -> None:
    """The given generator fits the models for choices, and also the last model."""
    requested = Counter[str]()

    class Watched(GENERATORS[generator]):  # type: ignore[misc]
        def fit(self, evidence: Evidence, **more: object) -> Model:
            requested[generator] += 1
            return super().fit(evidence, **more)

    small = Domain(("a", "b", "c"), (3, 4, 2))
    a = np.random.default_rng(0).integers(0, 3, 400)
    source = exact(np.stack([a, a, a % 2], axis=1), small, rho=0.5)
    problem = problem_about(small, generator=Watched())
    fitted = MECHANISMS[name]().run(source, problem, rng=np.random.default_rng(0))
    assert requested[generator] > 0 and source.left.rho < 1e-9
    assert type(fitted.model) is type(GENERATORS[generator]().fit(fitted.evidence))


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [name for name, kind in MECHANISMS.items() if not (kind.chooses or kind.votes)]
)
def test_without_choices_the_asked_generator_fits_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator also draws the candidates of votes, so these methods fit more than once."""
    fitted: list[str] = []
    for generator, kind in GENERATORS.items():

        def fit(self: Generator, *args: object, _kind: type[Generator] = kind, **more: object) -> Model:
            fitted.append(self.name)
            return _kind.fit(self, *args, **more)  # type: ignore[arg-type]

        monkeypatch.setitem(GENERATORS, generator, type(kind.__name__, (kind,), {"fit": fit}))
    kind = MECHANISMS[name]
    other = "copula" if "copula" in followers(kind)[1:] else followers(kind)[-1]
    run(kind(), rho=0.05, generator=other)
    assert fitted == [other]


class TwoCuts(Grove):
    """A method that measures one table twice, in different groups of codes."""

    name = "two cuts"

    def run(self, source: Source, problem: Problem, *, rng: np.random.Generator) -> Fitted:
        cuts = [tuple(int(code >= at) for code in range(30)) for at in (5, 9)]
        half = source.left.rho / 2
        requested = [(Marginal(DOMAIN.names).within({"age": cut}), half) for cut in cuts]
        evidence = evidence_of(source.ask(requested), source, problem)
        return Fitted(evidence=evidence, model=IndependentColumns().fit(evidence))


class ManyCuts(TwoCuts):
    tiles = True


def test_a_method_that_asks_a_table_in_two_sets_of_groups_has_to_say_so() -> None:
    assert len(run(ManyCuts(), rho=1.0).evidence.tilings) == 2
    with pytest.raises(ValueError, match=r"two cuts measured .* in one set of groups, or declare `tiles`"):
        run(TwoCuts(), rho=1.0)


def test_packages_are_those_of_what_chooses_and_of_what_makes_the_records() -> None:
    for words, packages in {
        "blend": (),
        "margnet": ("torch",),
        "margnet+mixture": (),
        "margnet+refined": ("torch",),
        "mst+network": ("torch",),
        "privpgd": ("torch",),
        "privpgd+copula": (),
        "mixture+particles": ("torch",),
    }.items():
        assert recipe_of(words).packages == packages, words
    assert {p for g in GENERATORS.values() for p in g.packages} <= set(SOMETIMES)


def test_options_of_a_generator_are_checked_and_its_own_ones_are_used_in_the_loop() -> None:
    with pytest.raises(Mistake, match="The generator 'pgm' has no option 'speed'"):
        Recipe(mechanism=MST(), generator_options={"speed": 3})
    with pytest.raises(Mistake, match="Shrinkage"):
        Recipe(mechanism=MST(), generator="refined", generator_options={"ridge": 0})
    assert Recipe(mechanism=Grove(clique_cells=5000)).follower == RefinedRecords(clique_cells=5000)
    assert Recipe(mechanism=MST(), generator="refined").follower == RefinedRecords()
    strong = run(MST(), rho=0.5, generator_options={"ridge": 50.0}).model
    weak = run(MST(), rho=0.5).model
    near = np.outer(strong.project(("job",)), strong.project(("age",))) / strong.total
    apart = [np.abs(model.project(("job", "age")) - near).sum() for model in (strong, weak)]
    assert apart[0] < apart[1]
