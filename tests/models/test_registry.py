"""Every generator of the registry fits a model to the same measurements."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.core.domain import Domain
from synth.core.errors import Cancelled
from synth.core.measurements.noisy import Measurement
from synth.core.model import Model
from synth.core.options import check_values, options_of
from synth.core.progress import Progress, Unsaved
from synth.core.zeros import Zero
from synth.models import pulse
from synth.models.base import Generator
from synth.models.registry import GENERATORS
from tests.models.examples import evidence_of, measurement

DOMAIN = Domain(("a", "b"), (2, 3))
TABLE = np.array([[90, 5, 5], [0, 40, 60]])


def measured(clique: tuple[str, ...], counts: np.ndarray, **more: object) -> Measurement:
    return measurement(clique, counts, **more)  # type: ignore[arg-type]


EVIDENCE = evidence_of(
    DOMAIN,
    (measured(("a",), TABLE.sum(axis=1)), measured(("b",), TABLE.sum(axis=0)), measured(("a", "b"), TABLE)),
    200,
    zeros=[Zero(("a", "b"), TABLE == 0)],
)


EVERY = pytest.mark.parametrize("generator", [kind() for kind in GENERATORS.values()], ids=list(GENERATORS))


@EVERY
def test_a_generator_makes_a_model_with_the_given_columns_and_zeros(generator: Generator) -> None:
    assert GENERATORS[generator.name] is type(generator)
    assert generator.title and generator.summary.endswith(".")
    model = generator.fit(EVIDENCE)
    assert isinstance(model, Model) and model.total == 200
    np.testing.assert_allclose(model.project(("b",)), TABLE.sum(axis=0), atol=3)
    assert model.project(("a", "b"))[1, 0] == 0


@pytest.mark.parametrize("name", [name for name, g in GENERATORS.items() if g.relates])
def test_what_keeps_relations_keeps_them(name: str) -> None:
    model = GENERATORS[name]().fit(EVIDENCE)
    assert np.abs(model.project(("a", "b")) - TABLE).sum() < 6


@pytest.mark.long
@EVERY
def test_options_at_their_limits_make_a_model_too(generator: Generator) -> None:
    """Options that only fit a model as in the paper are excluded, because such a fit takes hours."""
    for field in options_of(type(generator)):
        if field.metadata["literal"]:
            continue
        for edge in ("low", "high"):
            configured = replace(generator, **{field.name: field.metadata[edge]})
            check_values(configured)
            assert configured.fit(EVIDENCE).sample(20, np.random.default_rng(0)).shape == (20, 2)


@pytest.mark.long
@EVERY
def test_the_same_evidence_gives_the_same_model_wherever_the_search_begins(generator: Generator) -> None:
    """A model of any generator can be the start. A model of another kind has no effect."""
    first, second = (generator.fit(EVIDENCE) for _ in range(2))
    np.testing.assert_array_equal(first.project(("a", "b")), second.project(("a", "b")))
    for kind in GENERATORS.values():
        again = generator.fit(EVIDENCE, start=kind().rough().fit(EVIDENCE), seed=7)
        near = 5 if generator.trains else 1  # other records of the network: 2,000 for 200, a sigma of 1.1
        np.testing.assert_allclose(again.project(("a", "b")), first.project(("a", "b")), atol=near)
    rough = generator.rough().fit(EVIDENCE)
    np.testing.assert_allclose(rough.project(("a", "b")), first.project(("a", "b")), atol=5)


@pytest.mark.parametrize("name", [name for name, g in GENERATORS.items() if g.relates and not g.trains])
def test_a_long_fit_can_be_stopped_between_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "PULSE_SECONDS", -1.0)

    def stop_at_third(progress: Progress) -> None:
        assert progress.stage == "fit" and 0 <= progress.done <= 1
        if progress.fact.endswith(" 3"):
            raise Cancelled("stopped by the steward")

    with pytest.raises(Cancelled):
        GENERATORS[name]().fit(EVIDENCE, report=stop_at_third)


class Ended(Unsaved):
    """A checkpoint that stores the result of a fit, but none of its steps."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def finished(self) -> dict[str, np.ndarray]:
        return self.arrays

    def finish(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = {name: array.copy() for name, array in arrays.items()}


@EVERY
def test_what_a_fit_ended_with_gives_its_model_again_without_a_step(generator: Generator) -> None:
    """The model is the same to the last bit, for any start. Generators that do not support this store
    nothing.
    """
    kept, heard = Ended(), list[Progress]()
    rough = generator.rough()
    first = rough.fit(EVIDENCE, seed=3, device="cpu", checkpoint=kept)
    assert bool(kept.arrays) == generator.resumes
    if generator.resumes:
        again = rough.fit(EVIDENCE, seed=3, device="cpu", report=heard.append, checkpoint=kept)
        np.testing.assert_array_equal(again.project(("a", "b")), first.project(("a", "b")))
        next_ones = [rough.fit(EVIDENCE, start=model, seed=3, device="cpu") for model in (first, again)]
        np.testing.assert_array_equal(*(model.project(("a", "b")) for model in next_ones))
        assert all(progress.steps is None for progress in heard)


CLOSED = ("pgm", "refined", "copula", "denoised", "adversarial", "independent")


@EVERY
def test_a_search_reports_its_falling_loss(generator: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run page draws the loss over the steps, so a loss must be reported with its step."""
    monkeypatch.setattr(pulse, "PULSE_SECONDS", -1.0)
    heard: list[Progress] = []
    generator.fit(EVIDENCE, report=heard.append)
    stated = [(p.steps, p.loss) for p in heard if p.loss is not None]
    assert (len(stated) > 1) is (generator.name not in CLOSED)
    if stated:
        assert all(step is not None for step, _ in stated)
        assert stated[-1][1] < max(stated[0][1], 1e-4), "a search may begin at its end"


def test_a_fit_loads_the_packages_it_declares_and_no_other_of_them() -> None:
    """The test runs in a separate process, generator by generator, starting with generators that declare no
    packages.
    """
    code = (
        "import sys; from tests.models.test_registry import EVIDENCE, GENERATORS\n"
        "for name in sorted(GENERATORS, key=lambda name: len(GENERATORS[name].packages)):\n"
        "    GENERATORS[name]().rough().fit(EVIDENCE).sample(9, __import__('numpy').random.default_rng(0))\n"
        "    print(name, 'torch' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    loaded = dict(line.split() for line in done.stdout.splitlines())
    assert loaded == {name: str("torch" in kind.packages) for name, kind in GENERATORS.items()}
