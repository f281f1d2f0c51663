"""Every page of a project that has been through everything, in both themes and at two widths: pictures, what
is cut off or lies on something else, and axe-core's audit.

The audit is that of the axe rules (WCAG 2 A and AA and best practice) in the browser itself; what axe calls
serious or critical fails. `make screenshots` keeps the pictures and the audit's outcome.
"""

import importlib.util
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from synth.app.project import journey
from tests.browser.looks import colliding, cut_off, overflowing, size
from tests.browser.server import RUN_PATIENCE
from tests.browser.steward import Steward

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "assets" / "accessibility.json"
pytestmark = [pytest.mark.browser, pytest.mark.long]

PAGES = tuple(step.name for step in journey.STEPS)
BEFORE_THE_RUN = ("budget", "method")
"""Pages that are pictured while they can be edited."""

WIDTHS = (1400, 800)
"""Pixels of a window on a desk, and of one on half of a small screen."""
GRAVE = ("serious", "critical")


def axe() -> str:
    """The audit's script, from the package that carries it."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        pytest.skip("axe-core is not installed here (`make install` brings it)")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Audit:
    """What axe found on one page in one theme: rules passed, and nodes by rule of those that failed."""

    page: str
    theme: str
    version: str
    passed: int
    violations: tuple[tuple[str, str, tuple[str, ...]], ...]

    def grave(self) -> list[str]:
        return [
            f"{self.page} ({self.theme}): {rule} ({impact}) at {nodes[:4]}"
            for rule, impact, nodes in self.violations
            if impact in GRAVE
        ]


def audited(steward: Steward, script: str, *, page: str, theme: str) -> Audit:
    """One page as it stands in the browser now."""
    steward.driver.execute_script(script)
    found = steward.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations', 'passes']})"
        ".then(r => done(JSON.stringify({version: r.testEngine.version, passes: r.passes.length,"
        " violations: r.violations.map(v => [v.id, v.impact, v.nodes.map(n => n.html.slice(0, 200) + ' | ' +"
        " (n.any[0] ? n.any[0].message : ''))])})))"
    )
    seen = json.loads(found)
    violations = tuple((rule, str(impact), tuple(nodes)) for rule, impact, nodes in seen["violations"])
    return Audit(page, theme, seen["version"], seen["passes"], violations)


def theme(steward: Steward, name: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": name}]}
    steward.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    steward.settle()


def fits(steward: Steward, where: str) -> None:
    """Wait until nothing of a page is cut off or lies on something else, once it is drawn in a new width."""
    for seen in (overflowing, colliding, cut_off):
        found: list[str] = []

        def is_clear(seen: Callable[[Steward], list[str]] = seen, found: list[str] = found) -> bool:
            found[:] = seen(steward)
            return not found

        try:
            steward.wait(is_clear, what=where, seconds=60)
        except AssertionError:
            raise AssertionError(f"{where}, {seen.__name__}: {found[:5]}") from None


def through_everything(steward: Steward) -> str:
    """Run the demo with a free second table, measure, evaluate and map it; return the project's id in
    addresses."""
    steward.open()
    steward.shoot("start")
    steward.click("open-demo")
    steward.click("go-on")
    steward.wait(lambda: steward.all(".st-key-epsilon-box input"), what="the box for epsilon")
    steward.shoot("budget")
    steward.next("budget")
    steward.pick("extras-blend", "Independent columns")
    steward.shoot("method")
    steward.next("method")
    steward.wait(lambda: steward.all(".st-key-spend button"), what="the review of the run")
    steward.shoot("review")
    steward.start("Invented household survey")
    steward.finished()
    project = str(steward.driver.current_url).rpartition("=")[2]
    steward.open(f"/results?p={project}")
    steward.take("shown-run", "again by Independent columns")
    steward.click("judge")
    steward.wait(lambda: steward.all(".st-key-download-accuracy"), what="the accuracy", seconds=RUN_PATIENCE)
    steward.open(f"/steward?p={project}")
    steward.click("open-steward")
    steward.click("start-steward")
    steward.wait(
        lambda: steward.all(".st-key-steward-map"), what="the private evaluation", seconds=RUN_PATIENCE
    )
    steward.open(f"/compare?p={project}")
    steward.click("draw-map")
    steward.wait(
        lambda: steward.all(".st-key-compare-map .js-plotly-plot"), what="the map", seconds=RUN_PATIENCE
    )
    return project


def test_every_page_fits_its_window_and_passes_the_audit_in_both_themes(steward: Steward) -> None:
    script, audits = axe(), []
    project = through_everything(steward)
    for page in PAGES:
        address = f"/{'' if page == PAGES[0] else page}?p={project}"
        steward.open(address)
        for name in ("light", "dark"):
            theme(steward, name)
            audits.append(audited(steward, script, page=page, theme=name))
        theme(steward, "light")
        for width in WIDTHS:
            size(steward, width)
            fits(steward, f"{page}, {width} pixels")
        steward.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        if page not in BEFORE_THE_RUN:
            steward.shoot(page, address=address)
        if page == "results":
            steward.shoot("card", themes=("light",), top=1080)
    keep(audits)
    grave = [line for audit in audits for line in audit.grave()]
    assert not grave, "\n".join(grave)
    assert min(audit.passed for audit in audits) > 15


def keep(audits: list[Audit]) -> None:
    """The outcome beside the pictures, if asked to."""
    if os.environ.get("MARGINALIA_SCREENSHOTS") != "1":
        return
    rows = [
        {
            "page": audit.page,
            "theme": audit.theme,
            "rules passed": audit.passed,
            "violations": {f"{rule} ({impact})": len(nodes) for rule, impact, nodes in audit.violations},
        }
        for audit in audits
    ]
    outcome = {"engine": f"axe-core {audits[0].version}", "pages": rows}
    REPORT.write_text(json.dumps(outcome, indent=1) + "\n", encoding="utf-8")
