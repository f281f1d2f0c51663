"""Who may import whom, imports inside functions included: the rules that carry privacy meaning."""

import ast
import re
from itertools import accumulate
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "synth").rglob("*.py"))
APP = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]

MEASURING = {"private.source", "private.terms", "private.queries", "private.scores"}
PUBLIC_PARTS = MEASURING | {"private.domains", "private.ledger"}
"""What other packages may import of `private`: descriptions of queries and scores, the protocol `Source`, the
ledger, and the estimation of domains. The rest holds rows or exact counts; `EXCEPTIONS` lists who reaches
it."""

MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "rules": {"core"},
    "dictionaries": {"core"},
    "private": {"core", "rules"},
    "models": {"core"},
    "mechanisms": {"core", "models"} | MEASURING,
    "estimates": {"core", "models"},
    "release": {"core", "rules", "dictionaries", "models", "mechanisms", "estimates"} | PUBLIC_PARTS,
    "analyst": {"core", "rules", "dictionaries", "models", "estimates", "release.reading", "release.layout"}
    | {"release.codes", "release.decode", "release.drawing", "release.parquet", "release.checks.unfit"},
    "evaluate": {"core", "rules", "dictionaries"},
    "pipeline": {"core", "rules", "mechanisms", "release"} | PUBLIC_PARTS,
    "app": {"core", "rules", "dictionaries", "models", "mechanisms", "estimates", "release", "analyst"}
    | {"evaluate", "pipeline"}
    | PUBLIC_PARTS,
    "api": {"core", "rules", "dictionaries", "release", "analyst", "pipeline", "app"} | PUBLIC_PARTS,
    "bench": {"core", "rules", "dictionaries", "private", "models", "mechanisms", "estimates", "release"}
    | {"analyst", "evaluate", "pipeline", "app"},
    "cli": {"core", "rules", "dictionaries", "release", "analyst", "evaluate", "app", "bench"} | PUBLIC_PARTS,
    "pages": {"core", "dictionaries", "app"},
    "app.py": {"app"},
}
"""What each package may import, from the lowest to the highest."""

EXCEPTIONS: dict[str, set[str]] = {
    "app.jobs.kinds.domains": {"private.reading.files.texts_in"},
    "app.jobs.kinds.header": {"private.reading.files.header_only"},
    "api": {"private.frame.Frame"},
    "app.jobs.judging": {"private.frame.Frame", "private.reading.vault.Vault"},
    "app.jobs.released_files": {"private.frame.Frame", "private.reading.parts.fingerprint"},
    "app.jobs.work": {
        "private.entropy.OS_ENTROPY",
        "private.entropy.Entropy",
        "private.entropy.Rehearsal",
        "private.reading.vault.Vault",
    },
    "cli.schema": {"private.reading.files.header_only"},
    "evaluate.fit": {
        "private.encoding.outcomes.Fate",
        "private.encoding.outcomes.Outcome",
        "private.encoding.outcomes.outcomes",
        "private.table.open_table",
    },
    "evaluate.report": {"private.table.open_table"},
    "pipeline": {
        "private.database_table.check_columns",
        "private.entropy.Entropy",
        "private.entropy.OS_ENTROPY",
        "private.frame.Frame",
        "private.reading.files.check_header",
        "private.reading.vault.Vault",
        "private.session.PrivateSession",
        "private.table.open_table",
    },
}
"""Who else imports from `private`, and what: `evaluate` reads rows for the steward alone, `pipeline` opens
the private session, the others get no row and no count of a file that is not public."""

APP_ORDER = ("maps", "jobs", "project", "figures", "ui")
"""A part of `app` imports only itself and the parts before it."""

STEWARDS = (
    "evaluate",
    "app.jobs.kinds.fitting",
    "app.jobs.study_work",
    "app.project.results.steward",
    "app.figures.steward",
    "app.ui.steward",
)
"""Where numbers computed on the private table lie that no budget pays for."""
FOR_STEWARDS = {
    "cli.evaluate",
    "cli.schema",
    "app.jobs.study_work",
    "app.jobs.kinds",
    "app.jobs.kinds.fitting",
    "app.jobs.kinds.study",
    "app.figures.steward",
    "app.project.results.steward",
    "app.ui.schema.fit",
    "app.ui.steward.panels",
    "pages.steward",
}
"""Who may import them, apart from the bench with its public tables: nothing on the way to a bundle."""

ONLY_IN: dict[str, tuple[str, ...]] = {
    "streamlit": ("app.ui", "pages", "app.py"),
    "opendp": ("private",),
    "sqlite3": ("private.ledger",),
    "platformdirs": ("core.system.places",),
    "duckdb": ("private.reading", "bench"),
    "psycopg": ("private.reading",),
    "pyspark": ("private.reading",),
    "ibis": ("private",),
    "torch": ("core.system.device", "models", "bench"),
    "networkx": ("analyst", "estimates", "core.graphs", "app.figures.answers", "bench"),
    "sklearn": ("evaluate",),
    "catboost": ("evaluate",),
    "xgboost": ("evaluate",),
    "openTSNE": ("app.maps",),
    "plotly": ("app.figures", "bench"),
    "pickle": (),
    "random": (),
}

READS_BYTES = {
    "app.jobs.elsewhere.carrying": "public files of a task",
    "app.jobs.elsewhere.parcels": "public files of a task",
    "app.jobs.kept_fits": "weights of models that follow from noisy measurements",
    "app.jobs.kinds.regenerating": "encoded records that came back from another machine",
    "app.jobs.work": "checksums of the bundle it has just written",
    "app.project.results.bundles": "checksums of a bundle",
    "app.project.results.publication": "the zip of a published bundle",
    "cli.schema": "a data dictionary",
    "dictionaries.apart": "a workbook that is a dictionary, never a table",
    "private.ledger.blobs": "what a ledger keeps beside its file",
    "analyst.rows": "the text of a table whose blanks an analyst fills, from memory",
    "cli.package.ask": "a table whose blanks an analyst fills",
    "release.formats.statistics": "a synthetic table that this program has just written",
    "analyst.shown.notebook": "the text of a synthetic table, from memory",
    "release.csv_text": "the text of a synthetic table, from memory",
    "release.reading.files": "files of a bundle",
    "release.reading.starting": "a table that the steward declares public",
    "rules.documents": "rules the steward wrote",
}
"""Who reads bytes, and of what. Private files are read in `private.reading` alone (bench: public files)."""


def module_of(path: Path) -> str:
    """Dotted name without `synth.`; `app.py` keeps its ending to differ from the package `app`."""
    parts = path.relative_to(ROOT).parts
    if parts == ("app.py",):
        return "app.py"
    parts = (*parts[:-1], path.stem)
    dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return dotted.removeprefix("synth").removeprefix(".") or "synth"


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


IMPORTS = {module_of(path): imports_of(path) for path in (*SOURCES, *APP)}


def package_of(module: str) -> str:
    return module if module == "app.py" else module.split(".")[0]


def inside(name: str, places: set[str] | tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{place}.") for place in places)


def allowed(module: str, name: str) -> bool:
    """Whether a module may import a name of ours (without `synth.`)."""
    own = package_of(module)
    if own == "app" and name.startswith("app."):
        parts = [APP_ORDER.index(n.split(".")[1]) for n in (name, module) if n.count(".")]
        return len(parts) < 2 or parts[0] <= parts[1]
    return (
        own in ("synth", "__main__")
        or package_of(name) == own
        or inside(name, MAY_IMPORT[own])
        or name in EXCEPTIONS.get(module, set())
    )


def test_a_package_imports_only_what_its_layer_may() -> None:
    wrong = {
        f"{module} imports {name}"
        for module, names in IMPORTS.items()
        for name in names
        if name.split(".")[0] == "synth" and not allowed(module, name.removeprefix("synth."))
    }
    assert not wrong, "\n".join(sorted(wrong))


def upward(imports: dict[str, set[str]]) -> set[str]:
    """Imports from a package that is not below the importing one. `synth` itself is above all."""
    order = {package: place for place, package in enumerate((*MAY_IMPORT, "__main__", "synth"))}
    return {
        f"{module} imports {name}"
        for module, names in imports.items()
        for name in names
        if name.split(".")[0] == "synth"
        for target in [next((p for p in MAY_IMPORT if inside(name, (f"synth.{p}",))), "synth")]
        if order[target] > order[package_of(module)]
    }


def test_no_import_runs_up() -> None:
    assert not upward(IMPORTS), "\n".join(sorted(upward(IMPORTS)))
    for module, name in (
        ("release.bundle", "synth.analyst.kit.Kit"),
        ("evaluate.fidelity", "synth.pipeline.release"),
        ("mechanisms.aim", "synth.__version__"),
        ("estimates.ratios", "synth.release.layout.Layout"),
    ):
        assert upward({module: {name}}), f"{module} could import {name}"


def test_every_exception_is_used() -> None:
    for module, names in EXCEPTIONS.items():
        assert {f"synth.{name}" for name in names} <= IMPORTS[module], module


def test_texts_and_logic_of_the_app_draw_nothing() -> None:
    for module, names in IMPORTS.items():
        if inside(module, ("app.project", "app.jobs", "app.ui.text")):
            assert "streamlit" not in {name.split(".")[0] for name in names}, module


def stewards(names: set[str]) -> set[str]:
    """Names that give access to exact numbers of the private table."""
    return {n for n in names if n.startswith("synth.") and inside(n.removeprefix("synth."), STEWARDS)}


def test_exact_numbers_have_no_other_reader() -> None:
    readers = {module for module, names in IMPORTS.items() if stewards(names)}
    assert {r for r in readers if package_of(r) not in ("evaluate", "bench")} == FOR_STEWARDS
    assert stewards({"synth.app.project.results.steward"}) and stewards({"synth.evaluate.report.load_real"})
    assert not stewards({"synth.app.project.store.Project", "synth.app.ui.text.steward"})


def reached(packages: tuple[str, ...]) -> set[str]:
    """All modules that these packages import, through others and inside functions too."""
    found, waiting = set[str](), [module for module in IMPORTS if inside(module, packages)]
    while waiting:
        module = waiting.pop()
        if module in IMPORTS and module not in found:
            found.add(module)
            names = {name.removeprefix("synth.") for name in IMPORTS[module] if name.startswith("synth.")}
            waiting += [part for name in names for part in accumulate(name.split("."), "{}.{}".format)]
    return found


def test_an_analyst_reaches_nothing_private() -> None:
    """The kit opens a package without any module that could read a private file or an exact count."""
    found = reached(("analyst",))
    assert {"analyst.kit", "release.reading.files", "models.pgm.model"} <= found
    assert {package_of(module) for module in found} == {
        *("analyst", "core", "dictionaries", "estimates", "models", "release", "rules")
    }
    assert {package_of(module) for module in reached(("release.opened",))} >= {"private", "mechanisms"}


def test_third_parties_stay_in_their_packages() -> None:
    wrong = {
        f"{module} imports {name}"
        for module, names in IMPORTS.items()
        for name in names
        if (homes := ONLY_IN.get(name.split(".")[0])) is not None and not inside(module, homes)
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_no_import_cycle() -> None:
    graph = nx.DiGraph()
    for module, names in IMPORTS.items():
        for target in names:
            target = target.removeprefix("synth.")
            while target and target not in IMPORTS:
                target = target.rpartition(".")[0]
            if target and target != module and not module.startswith(target + "."):
                graph.add_edge(module, target)
    assert list(nx.simple_cycles(graph)) == []


def test_no_global_generator_and_no_seed_on_the_private_side() -> None:
    for path in (ROOT / "synth" / "private").rglob("*.py"):
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


def test_bytes_are_read_on_the_private_side_or_for_a_stated_reason() -> None:
    readers = {module_of(path) for path in SOURCES if reads_bytes(path.read_text())}
    outside = {name for name in readers if not inside(name, ("private.reading", "bench"))}
    assert outside == set(READS_BYTES)
    assert {"private.reading.parts", "private.reading.vault"} <= readers


def test_the_rules_would_catch_a_breach() -> None:
    assert reads_bytes("def f(path):\n    with path.open('rb', buffering=0) as file:\n        file.read(9)")
    assert reads_bytes("open(spec.data, mode='rb')") and reads_bytes("Path(spec.data).read_bytes()")
    assert not reads_bytes("path.open('wb')")
    for module, name in (
        ("models.pgm.fitting", "private.session"),
        ("models.pgm.fitting", "private.source"),
        ("mechanisms.aim", "private.session"),
        ("mechanisms.aim", "private.ledger"),
        ("release.bundle", "evaluate.report"),
        ("release.bundle", "app.project.store"),
        ("app.ui.state", "private.session"),
        ("app.project.store", "private.reading.files.read_columns"),
        ("app.project.store", "app.ui.state"),
        ("app.jobs.work", "app.project.store"),
        ("app.jobs.kinds.header", "private.reading.files.read_columns"),
        ("pages.results", "evaluate.report"),
        ("cli.release", "private.table.open_table"),
        ("core.table", "private.source"),
    ):
        assert not allowed(module, name), f"{module} could import {name}"
    for package in ("models", "mechanisms", "release", "evaluate", "app", "cli"):
        for part in ("reading.files.read_columns", "encoding.columns", "counting.codes", "entropy", "noise"):
            assert not allowed(f"{package}.x", f"private.{part}"), f"{package} could import private.{part}"
    assert allowed("mechanisms.aim", "private.source.Source")


def test_the_layout_can_be_seen_at_a_glance() -> None:
    """At most 15 entries in `synth/`, at most 16 modules per folder, one sentence for each package."""
    tops = {path.name for path in (ROOT / "synth").iterdir() if not path.name.startswith("__")} - {"py.typed"}
    assert len(tops) <= 15, sorted(tops)
    for package in {path.parent for path in SOURCES}:
        modules = [path for path in package.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= 16, f"{package.relative_to(ROOT)} has {len(modules)} modules"
        text = ast.get_docstring(ast.parse((package / "__init__.py").read_text()))
        assert text, f"{package.relative_to(ROOT)}/__init__.py does not say what the package is for"


def test_the_architecture_page_states_what_is_enforced() -> None:
    text = (ROOT / "assets" / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]
    stated = {
        row[0].strip("`").rstrip("/"): set(re.findall(r"`([\w.]+)`", row[-1]))
        for row in rows
        if len(row) == 3
    }
    assert {package: stated.get(package) for package in MAY_IMPORT} == MAY_IMPORT
