"""`release --again`: reuse the settings of an earlier release, and declare who is in the next table."""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from synth.app.jobs.spec import RUN_ID, RunSpec
from synth.app.jobs.store import Job, State
from synth.cli.arguments import existing_file
from synth.cli.checked import was_checked
from synth.core.errors import Mistake
from synth.core.request import People
from synth.core.system.address import address_of

COPIED = (
    "schema", "rules", "epsilon", "delta", "method", "options", "workload", "confidence", "preprocess_share",
)  # fmt: skip
"""Settings that every spec contains. The number of rows is not copied, because it depends on the table."""

LATER = ("generator", "generator_options", "compress", "shares_part", "verdict", "means", "means_share")
"""Settings that may be missing from specs of earlier versions."""


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """An earlier release: its settings, its package, and the populations to which its people did not
    belong.
    """

    settings: dict[str, Any]
    package: Path
    new_to: tuple[str, ...]

    @property
    def out(self) -> Path:
        """Return an unused path next to this package, for the next one."""
        return _next_to(self.package)

    @property
    def population(self) -> str:
        return str(self.settings["schema"]["population"])


def earlier_of(earlier: str) -> Earlier:
    """Find an earlier release.

    `earlier` is the number of a run on this machine, a release package (folder or zip), or the
    `config/spec.json` of a package. Raises: `Mistake` for anything else.
    """
    from synth.release.opened import open_bundle

    path = Path(earlier).expanduser()
    if RUN_ID.fullmatch(earlier) and not path.exists():
        job = Job.find(earlier)
        if job.status().state is not State.DONE:
            raise Mistake(
                f"Run {earlier} has not finished. Resume it first: marginalia release --resume {earlier}"
            )
        return _earlier(asdict(job.spec()), earlier, Path(job.spec().out))
    if path.is_dir() or path.suffix == ".zip":
        return _earlier(_published(open_bundle(path).spec, earlier), earlier, path.absolute())
    try:
        spec = json.loads(existing_file(earlier, what="spec").read_text(encoding="utf-8"))
    except ValueError:
        raise _not_one(earlier) from None
    return _earlier(_published(spec, earlier), earlier, path.absolute().parent.parent)


def _published(spec: Any, earlier: str) -> Mapping[str, Any]:
    from synth.release.bundle import SPEC_FORMAT

    if not isinstance(spec, dict) or "format" not in spec:
        raise _not_one(earlier)
    if spec["format"] != SPEC_FORMAT:
        raise Mistake(f"{earlier!r} was written by another version of this program: {spec['format']!r}.")
    return spec


def declared(found: Earlier, *, people: str | None, new_people: str | None) -> dict[str, Any]:
    """Return the fields of the next release that declare who is in its table.

    New people form a population with its own lifetime budget. In this case, the fields include the schema
    with the name of that population.
    """
    if new_people is None:
        return {} if people is None else {"people": people}
    schema = {**found.settings["schema"], "population": new_people}
    return {"people": People.NEW.value, "new_to": [*found.new_to, found.population], "schema": schema}


def declared_anew(args: argparse.Namespace, earlier: Earlier) -> Earlier:
    """Return the earlier release with the schema and rules of the arguments, and with moved dates."""
    from synth.app.project.shifting import shifted
    from synth.dictionaries import dump_schema, load_schema
    from synth.rules import parse_rules

    settings = dict(earlier.settings)
    if args.schema:
        settings["schema"] = dump_schema(load_schema(existing_file(args.schema, what="schema")))
    if args.shift_dates:
        settings["schema"] = shifted(settings["schema"], args.shift_dates)
    if args.rules:
        schema = load_schema(settings["schema"])
        settings["rules"] = parse_rules(existing_file(args.rules, what="file of rules"), schema).document
    return replace(earlier, settings=settings)


def changes_to(args: argparse.Namespace, spec: RunSpec) -> list[str]:
    """Return what differs in the schema and the rules from the release of --again."""
    from synth.app.project.shifting import changes, rule_changes

    if not (args.again and (args.schema or args.rules or args.shift_dates)):
        return []
    before = earlier_of(args.again).settings
    found = changes(before["schema"], spec.schema) + rule_changes(before["rules"], spec.rules)
    return ["Changed since the earlier release:", *found] if found else ["Nothing was changed."]


def unchecked(args: argparse.Namespace, spec: RunSpec) -> list[str]:
    """Return a suggestion to check the table, if it was never checked. The table is not read."""
    if spec.rehearsal is not None or was_checked(address_of(spec.data)):
        return []
    advice = (
        "This table was not checked against its schema. The check costs no budget, and only you see it: "
        f"marginalia check --data {shlex.quote(spec.data)} --schema {shlex.quote(args.schema or 'FILE')}"
    )
    return [advice]


def _earlier(spec: Mapping[str, Any], earlier: str, package: Path) -> Earlier:
    from synth.dictionaries import stored

    if missing := [name for name in COPIED if name not in spec]:
        raise Mistake(f"The spec of {earlier!r} has no {', '.join(missing)}. Use a complete spec.")
    settings = {name: spec[name] for name in (*COPIED, *LATER) if name in spec}
    settings["schema"] = stored(settings["schema"])
    return Earlier(settings=settings, package=package, new_to=tuple(spec.get("new_to", ())))


def _not_one(earlier: str) -> Mistake:
    return Mistake(
        f"{earlier!r} is not the number of a run, a release package, or the config/spec.json of a package."
    )


def _next_to(place: Path) -> Path:
    """Return the first unused name for a folder or zip file: NAME-2, NAME-3 and so on."""
    name = place.name.removesuffix(".zip")
    places = (place.with_name(f"{name}-{number}") for number in itertools.count(2))
    return next(place for place in places if not place.exists())
