"""Answers that one trial was given, for others: measure once, fit every generator to the same.

A selection asks the same questions any generator follows it, unless that generator takes part in the
choice (`Recipe.is_inside`) or it asks by what follows (`Mechanism.asks_by_follower`). So of a selection's
trials at one promise the first asks and keeps its answers as a bundle does, and the others are fitted to
them: their difference is that of the generators and not of the noise, and a slow selection is run once. What
the selection took counts for each. Scores and choices are not kept, as in a bundle, so that the others have
bounds of what was measured alone.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from synth.bench.trials.attempts import Spent
from synth.bench.trials.trial import Trial
from synth.core.evidence import Evidence
from synth.mechanisms.shared.recipe import Recipe
from synth.release.documents import measurements

_DESCRIBED, _TABLES, _SPENT = "measurements.json", "marginals.parquet", "spent.json"


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptAnswers:
    """All that was asked, all of it public, and what asking took, models to choose by included."""

    evidence: Evidence
    spent: Spent


def place_of(trial: Trial, recipe: Recipe, repeat: int) -> Path | None:
    """The folder of the answers that suit a trial; None where others' do not, or nothing is kept."""
    asks_alike = recipe.is_own or not recipe.is_inside
    if not trial.answers or not asks_alike or trial.generator_options:
        return None
    asked = replace(trial, method=recipe.mechanism.name, run=trial.run + repeat)
    names = (
        *("table", "method", "epsilon", "delta", "run", "workload", "aim", "rules"),
        "preprocessing",
        "options",
    )
    told = {name: getattr(asked, name) for name in names} | {"compress": recipe.compress}
    if recipe.mechanism.asks_by_follower:
        told["follower"] = recipe.follower.name
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    return Path(trial.answers) / f"{asked.table}-{asked.method}-{digest[:16]}"


def read(place: Path | None) -> KeptAnswers | None:
    """None where there are none."""
    if place is None or not place.is_dir():
        return None
    described = json.loads((place / _DESCRIBED).read_text(encoding="utf-8"))
    spent = json.loads((place / _SPENT).read_text(encoding="utf-8"))
    evidence = measurements.read(described, (place / _TABLES).read_bytes())
    return KeptAnswers(evidence=evidence, spent=Spent(**spent))


def write(place: Path | None, kept: KeptAnswers) -> None:
    """Whole or not at all, in the form of a bundle."""
    if place is None:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(dir=place.parent))
    tables = measurements.tables(kept.evidence)
    (half / _DESCRIBED).write_text(json.dumps(measurements.document(kept.evidence)), encoding="utf-8")
    (half / _TABLES).write_bytes(measurements.marginals(tables, schema_id=""))
    (half / _SPENT).write_text(json.dumps(asdict(kept.spent)), encoding="utf-8")
    half.rename(place)
