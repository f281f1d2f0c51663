"""Who may hold the private table, and what may be done with it there: read from the source of everything."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from synth.private.session import PrivateSession
from synth.private.source import Source

ROOT = Path(__file__).parents[1]
PRIVATE_SIDE = ROOT / "synth" / "private"
ROWS = tuple(f"synth.private.{part}" for part in ("reading", "encoding", "counting"))
"""Whole packages that hold rows or exact counts."""
OUTSIDE = [
    path
    for path in [*(ROOT / "synth").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    if PRIVATE_SIDE not in path.parents or path.parent.name == "domains"
]
HOLDERS = {"open_table", "PrivateTable", "Codes", "ExactTables", "PrivateSource", "PrivateSession"}
HOLDERS |= {"DatabaseTable", "open_database"}
NEXT_TO_ROWS = {f"synth.private.{module}" for module in ("table", "room", "exact", "exact_tables")}
NEXT_TO_ROWS |= {"synth.private.private_table", "synth.private.database_table"}
"""What these have at hand reads, encodes and counts, under whatever name it is taken from there."""
HARMLESS = {"check_header", "header_only", "texts_in", "fingerprint", "Vault", "blocks", "check_columns"}
"""What of `reading` hands out no row of a private file, of `counting` what knows sizes alone, of `measure`
what hands out nothing; who may have it is told by `test_architecture`."""
MAY_HOLD = {
    "synth.pipeline": {"open_table", "PrivateSession"},
    "synth.private.domains.buy": {"PrivateSession"},
    "synth.evaluate.report": {"open_table"},  # for the steward alone
    "synth.evaluate.fit": {"open_table", "outcomes", "Outcome", "Fate"},  # for the steward alone
    "synth.bench.trials.session": {"open_table", "PrivateSession"},  # public tables
    "synth.bench.coverage": {"Codes", "ExactTables"},  # public tables
    "synth.bench.regressions": {"Codes", "ExactTables"},  # public tables
}
"""What holds rows or counts them, by who may name it outside of the private side."""

REFLECTION = {"__dict__", "__closure__", "__globals__", "__self__", "__wrapped__", "__getattribute__"}
REFLECTION |= {"__getstate__", "__builtins__", "__subclasses__", "cell_contents", "f_locals", "get_objects"}
REFLECTION |= {"modules", "getmembers", "getattr_static", "getclosurevars"}
IMPORTS = {"import_module", "__import__", "exec", "eval", "compile", "run_module", "run_path", "resolve_name"}
"""Ways to import what no import says; `re.compile` is none."""
IMPORTS_BY_NAME = {"import_module('synth.api')", "runpy.run_path(str(ROUTER))"}
REACHES = {
    "synth.cli.__init__": {"atexit._run_exitfuncs", "os._exit"},  # the end of the process
    "synth.app.jobs.executor": {  # starts the module of a worker in a fork
        *("atexit._clear", "atexit._run_exitfuncs", "os._exit", "importlib.import_module(self.worker)"),
    },
    "synth.bench.peers.recorder": {"sys.modules"},
    "synth.models.networks.products_torch": {"torch.ops.mkldnn._linear_pointwise"},
}
"""Who reaches further, and into what: the recorder, into other libraries, in whose interpreters it runs; the
products, into torch, which has no public name for what multiplies fastest."""
LOOKUPS = {"getattr", "attrgetter", "methodcaller", "vars"}


@dataclass(frozen=True, kw_only=True)
class Handle:
    """A value behind which rows lie: what makes one, what may be asked of it, and whom it may be given to."""

    made_by: frozenset[str]
    requested: frozenset[str] = frozenset()
    given_to: frozenset[str]


def public(kind: type) -> frozenset[str]:
    return frozenset(name for name in vars(kind) if not name.startswith("_"))


HANDLES = (
    Handle(made_by=frozenset({"open_table", "PrivateTable"}), given_to=frozenset({"PrivateSession"})),
    Handle(
        made_by=frozenset({"PrivateSession", "_session"}),
        requested=frozenset({"account", "ask", "schema", "source", "terms"}),
        given_to=frozenset({"buy_domains", "buy_groupings"}),
    ),
    Handle(
        made_by=frozenset({"source", "paid_by", "Source", "PrivateSource", "Watched"}),
        requested=public(Source) | {"paid_by", "heed"},
        given_to=frozenset({"run", "_shares", "_sums", "_scores", "Watched", "counted_first"}),
    ),
)
HANDLED = [path for path in OUTSIDE if path.stem == "pipeline" or path.parent.name == "domains"]
"""Where a handle is held on the way to a release. Mechanisms know the protocol `Source` and nothing else."""


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def held(source: str) -> set[str]:
    """What code imports that holds rows, whole modules of the private side included."""
    holds = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            holds |= {alias.name for alias in node.names if holds_rows(alias.name)}
        elif isinstance(node, ast.ImportFrom) and holds_rows(node.module or ""):
            holds |= {alias.name for alias in node.names} - HARMLESS
        elif isinstance(node, ast.ImportFrom) and node.module in ("synth", "synth.private"):
            whole = {
                a.name for a in node.names if a.name == "private" or holds_rows(f"{node.module}.{a.name}")
            }
            holds |= whole
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("synth."):
            holds |= {alias.name for alias in node.names if alias.name in HOLDERS}
        elif isinstance(node, ast.Attribute) and node.attr in HOLDERS:
            holds.add(ast.unparse(node))
    return holds


def holds_rows(module: str) -> bool:
    return module in NEXT_TO_ROWS or any(f"{module}.".startswith(f"{part}.") for part in ROWS)


def reached(source: str) -> set[str]:
    """Private attributes of others, and ways around them."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            is_private = node.attr.startswith("_") and not node.attr.endswith("__") and not is_own
            if is_private or node.attr in REFLECTION:
                found.add(ast.unparse(node))
        elif isinstance(node, ast.Call) and last_name(node.func) in LOOKUPS:
            texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            names = {name for text in texts for name in text.split(".")}
            found |= {ast.unparse(node) for name in names if name.startswith("_") or name in REFLECTION}
        elif isinstance(node, ast.Call) and last_name(node.func) in IMPORTS:
            found |= {ast.unparse(node)} - IMPORTS_BY_NAME
    return {use for use in found if not use.startswith("re.compile(")}


def last_name(node: ast.AST | None) -> str:
    """The last name of what is called or annotated: `a.b.c` gives c."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def misused(source: str) -> set[str]:
    """What is done with a handle but asking it what may be asked and giving it to whom it may be given."""
    tree = ast.parse(source)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {use for function in functions for use in _misused_in(function)}


def _misused_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    for handle in HANDLES:
        made = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and last_name(node.func) in handle.made_by
        ]
        names = {last_name(target) for call in made for target in _targets(parents.get(call))}
        names |= {
            node.arg
            for node in ast.walk(function)
            if isinstance(node, ast.arg) and last_name(node.annotation) in handle.made_by
        }
        loads = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
        ]
        for node in [*made, *loads]:
            parent = parents.get(node)
            is_handed_on = isinstance(parent, ast.Return) and function.name in handle.made_by
            if not (is_handed_on or _is_proper(node, parent, handle)):
                yield ast.unparse(parents.get(node, node))


def _targets(parent: ast.AST | None) -> list[ast.expr]:
    return parent.targets if isinstance(parent, ast.Assign) else []


def _is_proper(node: ast.AST, parent: ast.AST | None, handle: Handle) -> bool:
    if isinstance(parent, ast.Attribute):
        return parent.attr in handle.requested
    if isinstance(parent, ast.Assign):
        return isinstance(node, ast.Call) and all(isinstance(t, ast.Name) for t in parent.targets)
    return isinstance(parent, ast.Call) and node in parent.args and last_name(parent.func) in handle.given_to


def test_who_holds_the_private_table_is_written_down() -> None:
    found = {module_of(path): held(path.read_text()) for path in OUTSIDE}
    assert {module: names for module, names in found.items() if names} == MAY_HOLD


@pytest.mark.parametrize("path", OUTSIDE, ids=module_of)
def test_nobody_reaches_into_what_is_private(path: Path) -> None:
    assert reached(path.read_text()) == REACHES.get(module_of(path), set())


@pytest.mark.parametrize("path", HANDLED, ids=module_of)
def test_a_private_table_is_given_to_the_room_and_the_room_is_asked_its_questions(path: Path) -> None:
    assert misused(path.read_text()) == set()


def test_what_may_be_asked_of_a_room_is_all_that_it_offers() -> None:
    offered = public(PrivateSession) | {"schema"}  # set when it is made
    assert offered == HANDLES[1].requested


@pytest.mark.parametrize(
    "line",
    [
        "seed = hash(table.codes(axes).columns)",
        "seed = int(open_table(data, plan.schema).codes(axes).rows)",
        "other = table",
        "rng = np.random.default_rng(len(table))",
        "rng = np.random.default_rng([plan.seed, room.table.rows])",
        "secret = str(room)",
        "source = room.source(axes, share); print(source.codes)",
        "rows = room.source(axes, share).codes.rows",
        "total, _ = source.rows, table",
        "report([room])",
    ],
)
def test_the_rules_would_catch_a_breach(line: str) -> None:
    usual = "def f(source: Source):\n table = open_table(data)\n room = PrivateSession(table, schema)\n "
    assert not misused(usual + "own = source.paid_by(room.account('a', 1)); recipe.run(own, task)")
    assert misused(usual + line)


def test_the_other_rules_would_catch_a_breach() -> None:
    assert held("from synth.private import room") and held("import synth.private.counting.codes")
    assert held("def f():\n    from synth.private.counting.codes import Codes")
    assert held("from synth.private.reading import files") and held(
        "from synth.private.reading.files import read_columns"
    )
    assert (
        held("from synth.private import counting")
        and held("from synth import private")
        and held("from synth.private.counting import ENGINES")
    )
    assert held("from synth.private.encoding.encode import encode")
    assert held("from synth.pipeline import PrivateSession") and held(
        "from synth.evaluate.report import open_table"
    )
    assert held("from synth import pipeline\npipeline.open_table(path, schema)")
    assert held("from synth.private.table import read_columns") and held("import synth.private.table")
    assert held("from synth.private.session import ExactTables as T")
    assert not held("from synth.private.reading.files import header_only")
    assert not held("from synth.core.accounting import rho_of")
    for line in (
        "room._table",
        "source._codes.rows",
        "getattr(room, '_table')",
        "PrivateTable.codes.__wrapped__",
        "attrgetter('tables._codes')(source)",
        "operator.attrgetter('_tables')(source)",
        "methodcaller('_tables')(source)",
        "refusal.__traceback__.tb_frame.f_locals",
        "source.ask.__func__.__closure__[0].cell_contents",
        "importlib.import_module('synth.private.table')",
        "__import__('synth.private.table')",
        "exec('from synth.private.table import open_table')",
        "sys.modules['synth.private.table']",
        "gc.get_objects()",
    ):
        assert reached(line)
    assert not reached("self._own = cls._of(x.public)") and not reached("re.compile('_')")
