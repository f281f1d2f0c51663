"""Who may import whom, hidden imports included: the rules that carry privacy meaning."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "synth").rglob("*.py"))
APP = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
NOUNS = {
    "errors",
    "address",
    "domain",
    "cliques",
    "zeros",
    "answers",
    "codebook",
    "evidence",
    "layers",
    "denoiser",
    "forger",
    "critic",
    "trainee",
    "device",
    "junction",
    "triangulation",
    "options",
    "numerals",
    "model",
    "schema",
    "population",
    "axis",
    "table",
    "progress",
    "request",
    "places",
    "disks",
    "sealed",
    "half_spaces",
    "interactions",
    "joined",
    "nearest",
    "laws",
}
NOUNS |= {"schema_io", "rules"}

MAY_IMPORT: dict[str, set[str]] = {
    "entropy": set(),
    "reading": NOUNS | {"entropy"},
    "encoding": NOUNS | {"entropy", "reading"},
    "counting": NOUNS,
    "measure": NOUNS | {"entropy", "reading", "encoding", "counting"},
    "select": NOUNS | {"measure.source", "measure.score"},
    "generate": NOUNS,
    "check": NOUNS | {"select", "measure.source", "measure.score"},
    "preprocess": NOUNS | {"measure"},
    "evaluate": NOUNS | {"measure", "preprocess.axes", "select"},
    "embed": NOUNS,
    "mechanisms": NOUNS
    | {"measure.source", "measure.terms", "measure.questions", "measure.score", "select", "generate"},
    "plan": NOUNS | {"mechanisms", "preprocess.buy"},
    "quote": NOUNS | {"measure.ledger"},
    "synthesis": NOUNS | {"measure.source", "check"},
    "pipeline": NOUNS
    | {
        "entropy",
        "reading.vault",
        "counting.blocks",
        "measure",
        "select",
        "preprocess",
        "generate",
        "mechanisms",
        "check",
        "plan",
        "synthesis",
        "drawing",
    },
    "drawing": NOUNS | {"generate.steer", "preprocess"},
    "release": NOUNS | {"measure", "preprocess", "check", "plan", "synthesis", "pipeline"},
    "figures": NOUNS | {"project", "check", "embed.atlas", "evaluate.findings", "jobs.store"},
    "jobs": NOUNS
    | {
        "drawing.Drawn",
        "entropy",
        "reading.files.header_only",
        "reading.fingerprint",
        "reading.public",
        "reading.vault",
        "measure",
        "preprocess.axes",
        "plan",
        "quote",
        "synthesis",
        "pipeline",
        "release",
        "evaluate",
        "embed",
    },
    "bench": NOUNS
    | {
        "reading",
        "encoding",
        "counting",
        "entropy",
        "measure",
        "select",
        "preprocess",
        "generate",
        "mechanisms",
        "check",
        "evaluate",
        "plan",
        "drawing",
        "pipeline",
        "release",
        "synthesis",
        "jobs",
    },
    "api": NOUNS | {"measure", "plan", "pipeline", "synthesis", "release", "jobs"},
    "cli": NOUNS
    | {
        "measure.ledger",
        "reading.files.header_only",
        "preprocess.axes",
        "plan",
        "quote",
        "jobs",
        "release",
        "evaluate",
        "bench",
    },
    "project": NOUNS
    | {
        "measure.ledger",
        "preprocess",
        "generate",
        "mechanisms",
        "check",
        "plan",
        "quote",
        "jobs",
        "release",
        "evaluate.findings",
        "embed.atlas",
    },
    "ui": NOUNS
    | {
        "project",
        "figures",
        "jobs",
        "quote",
        "mechanisms",
        "generate.registry",
        "measure.ledger",
        "preprocess.axes",
        "release.statement",
        "evaluate.findings",
        "embed.atlas",
    },
    "pages": NOUNS | {"ui", "project", "jobs.store"},
    "app": {"ui", "project"},
}
"""What each room may import, from the nouns up to the pages. Neither `project` nor `ui` reaches a row: of
`measure` they take accounting and the ledger; findings are for the steward's files."""

TOPMOST = {"synth", "__main__"}

PRIVATE_SIDE = ("reading", "encoding", "counting", "measure")
OPENED: dict[str, set[str]] = {
    "bench.attempts": {"reading.vault.Vault"},
    "bench.gate_ours": {"counting.codes.Codes"},
    "cli.schema": {"reading.files.header_only"},
    "jobs.kinds.domains": {"reading.public.texts_in"},
    "jobs.kinds.header": {"reading.files.header_only"},
    "jobs.released_files": {"reading.fingerprint.fingerprint"},
    "jobs.work": {"reading.vault.Vault"},
    "pipeline": {"reading.vault.Vault", "counting.blocks.blocks"},
}
"""What modules outside of the private side may have from the rooms in front of `measure`: none of it hands
out a row or a count of a file that is not public."""

STEWARDS = (
    "evaluate",
    "jobs.kinds.fitting",
    "jobs.study_work",
    "project.steward",
    "figures.steward",
    "ui.steward",
)
"""Where numbers of the private table are that no ledger pays for."""
FOR_STEWARDS = {
    "synth.cli.evaluate",
    "synth.cli.schema",
    "synth.jobs.study_work",
    "synth.jobs.kinds",
    "synth.jobs.kinds.fitting",
    "synth.jobs.kinds.study",
    "synth.jobs.kinds.trying",
    "synth.figures.steward",
    "synth.project.steward",
    "synth.ui.schema.fit",
    "synth.ui.steward.panels",
    "pages.steward",
}
"""Who may import from there, the bench with its public tables aside: nobody on the way to a bundle."""

ONLY_IN: dict[str, tuple[str, ...]] = {
    "streamlit": ("ui",),
    "opendp": ("measure",),
    "sqlite3": ("measure.ledger",),
    "platformdirs": ("places",),
    "duckdb": ("reading", "bench"),
    "psycopg": ("reading",),
    "pyspark": ("reading",),
    "ibis": ("reading", "encoding", "counting", "measure.database_table"),
    "torch": ("device", "generate", "bench.query_mask", "bench.literal_particles"),
    "sklearn": ("evaluate",),
    "catboost": ("evaluate",),
    "xgboost": ("evaluate",),
    "openTSNE": ("embed",),
    "plotly": ("figures", "bench"),
    "distributed": ("jobs.elsewhere",),
    "pickle": (),
    "random": (),
}

READS_BYTES = {
    "cli.schema": "a data dictionary",
    "measure.ledger.blobs": "what a ledger keeps beside its file",
    "jobs.elsewhere.carrying": "public files of a task",
    "jobs.kept_fits": "weights of models that follow from noisy answers",
    "jobs.kinds.regenerating": "records in codes that came back",
    "jobs.work": "checksums of the bundle it has just written",
    "release.csv_text": "the text of a synthetic table, from memory",
    "release.opened": "files of a bundle",
    "rules.documents": "rules the steward wrote",
    "project.bundles": "checksums of a bundle",
    "schema_io.apart": "a workbook that is a dictionary, never a table",
    "project.publication": "the zip of a published bundle",
}
"""Who else reads bytes, and of what. Private files: in `reading` alone (bench: public files)."""


VERSION = "synth.__version__"
"""Stands at the top of the package and imports nothing: whoever writes down what was run may read it."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> set[str]:
    """Full names of everything a file imports, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room_of(name: str) -> str:
    return name.removeprefix("synth.").split(".")[0]


def allowed(target: str, rules: set[str], own: str) -> bool:
    bare = target.removeprefix("synth.")
    return (
        target == VERSION
        or room_of(target) == own
        or any(bare == rule or bare.startswith(rule + ".") for rule in rules)
    )


@pytest.mark.parametrize("path", [*SOURCES, *APP], ids=module_of)
def test_a_room_imports_only_what_its_layer_may(path: Path) -> None:
    own = room_of(module_of(path))
    if own in TOPMOST:
        return
    rules = NOUNS if own in NOUNS else MAY_IMPORT[own]
    wrong = {n for n in imports_of(path) if n.startswith("synth.") and not allowed(n, rules, own)}
    assert not wrong, f"{module_of(path)} must not import {sorted(wrong)}"


def test_words_and_logic_of_the_app_draw_nothing() -> None:
    for room in ("ui/text", "project"):
        for path in (ROOT / "synth" / room).rglob("*.py"):
            assert not any(name.split(".")[0] == "streamlit" for name in imports_of(path)), path


def test_rows_are_read_encoded_and_counted_for_the_room_alone() -> None:
    opened = {
        module_of(path).removeprefix("synth."): {
            name.removeprefix("synth.")
            for name in imports_of(path)
            if name.startswith("synth.") and room_of(name) in PRIVATE_SIDE[:-1]
        }
        for path in SOURCES
        if room_of(module_of(path)) not in PRIVATE_SIDE
    }
    assert {module: names for module, names in opened.items() if names} == OPENED


def stewards(names: set[str]) -> set[str]:
    """What of these names hands out numbers of the private table."""
    return {n for n in names if any(f"{n}.".startswith(f"synth.{room}.") for room in STEWARDS)}


def test_numbers_for_the_steward_have_no_other_reader() -> None:
    readers = {module_of(path) for path in (*SOURCES, *APP) if stewards(imports_of(path))}
    assert {r for r in readers if room_of(r) not in ("evaluate", "bench")} == FOR_STEWARDS
    assert stewards({"synth.project.steward"}) and stewards({"synth.evaluate.report.load_real"})
    assert not stewards({"synth.project.store.Project", "synth.ui.text.steward"})


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_third_parties_stay_in_their_rooms(path: Path) -> None:
    bare = module_of(path).removeprefix("synth.")
    for name in imports_of(path):
        homes = ONLY_IN.get(name.split(".")[0])
        if homes is not None:
            assert any(bare == h or bare.startswith(h + ".") for h in homes), f"{bare} imports {name}"


def test_nothing_imports_in_a_circle() -> None:
    modules = {module_of(p): p for p in SOURCES}
    graph = nx.DiGraph()
    for name, path in modules.items():
        for target in imports_of(path):
            while target and target not in modules:
                target = target.rpartition(".")[0]
            if target and target != name and not name.startswith(target + "."):
                graph.add_edge(name, target)
    assert list(nx.simple_cycles(graph)) == []


def test_no_global_generator_and_no_seed_in_the_room() -> None:
    paths = [path for room in PRIVATE_SIDE for path in (ROOT / "synth" / room).rglob("*.py")]
    for path in (ROOT / "synth" / "entropy.py", *paths):
        text = path.read_text()
        for word in ("np.random", "numpy.random", "torch.rand", "normal("):
            assert word not in text, f"{path.name} uses {word}"


def reads_bytes(source: str) -> bool:
    """Whether code opens a file for its bytes, or as a table, by any of the usual ways."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    given = [value for call in calls for value in (*call.args, *(word.value for word in call.keywords))]
    modes = {ast.unparse(value).strip("'") for value in given if isinstance(value, ast.Constant)}
    return bool(names & {"read_bytes", "read_csv", "read_parquet"} or modes & {"rb", "br", "rb+", "r+b"})


def test_a_file_is_read_for_its_bytes_on_the_private_side_or_for_a_stated_reason() -> None:
    readers = {module_of(path).removeprefix("synth.") for path in SOURCES if reads_bytes(path.read_text())}
    outside = {name for name in readers if room_of(name) not in ("reading", "bench")}
    assert outside == set(READS_BYTES)
    assert {"reading.fingerprint", "reading.vault"} <= readers


def test_the_rules_would_catch_a_breach() -> None:
    assert reads_bytes("def f(path):\n    with path.open('rb', buffering=0) as file:\n        file.read(9)")
    assert reads_bytes("open(spec.data, mode='rb')") and reads_bytes("Path(spec.data).read_bytes()")
    assert not reads_bytes("path.open('wb')")
    assert not allowed("synth.measure.room", MAY_IMPORT["generate"], "generate")
    assert not allowed("synth.evaluate.report", MAY_IMPORT["release"], "release")
    assert not allowed("synth.measure.room", MAY_IMPORT["mechanisms"], "mechanisms")
    assert not allowed("synth.ui.state", MAY_IMPORT["project"], "project")
    assert not allowed("synth.measure.room", MAY_IMPORT["ui"], "ui")
    assert not allowed("synth.reading.files.read_columns", MAY_IMPORT["project"], "project")
    assert not allowed("synth.project.store", MAY_IMPORT["jobs"], "jobs")
    for room in ("generate", "mechanisms", "check", "select", "evaluate", "release"):
        for private in ("reading.files.read_columns", "encoding.columns", "counting.codes", "entropy"):
            assert not allowed(f"synth.{private}", MAY_IMPORT[room], room)
    assert not allowed("synth.reading.files.read_columns", MAY_IMPORT["jobs"], "jobs")
    assert allowed("synth.measure.source.Source", MAY_IMPORT["mechanisms"], "mechanisms")


PACKAGES = sorted(path.parent.name for path in (ROOT / "synth").glob("*/__init__.py"))


def table_rows(document: str) -> list[list[str]]:
    """The cells of all lines of a document's tables."""
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_readme_tells_of_every_room(package: str) -> None:
    rooms = [row[0] for row in table_rows("README.md") if len(row) == 2]
    assert any(f"`synth/{package}/`" in cell for cell in rooms), package


def test_the_table_of_rooms_says_what_is_enforced() -> None:
    told = {row[0]: row[1] for row in table_rows("CONTRIBUTING.md") if len(row) == 3}
    for room, rules in MAY_IMPORT.items():
        cell = told.get(f"`{room}/`") or told[f"`{room}.py`"]
        assert set(re.findall(r"`([\w.]+)`", cell)) == rules - NOUNS, room
        assert ("nouns" in cell) == (rules >= NOUNS), room
    nouns = next(room for room in told if room.startswith("nouns"))
    assert all(f"`{noun}/`" in nouns for noun in NOUNS & set(PACKAGES))
    assert set(PACKAGES) <= NOUNS | set(MAY_IMPORT)
