"""*Results* and *Compare* of narrow and of wide tables: what fits the page, and who can reach a pair."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder

from synth.core.numbers import TIMES
from tests.app.figures.test_marks import INKS
from tests.browser.looks import colliding, overflowing, size
from tests.browser.server import Server
from tests.browser.steward import Steward
from tests.browser.test_every_page import audited, axe, theme
from tests.browser.wide import rehearsal

pytestmark = [pytest.mark.browser, pytest.mark.long]

COLUMNS = (11, 200)
WIDTHS, THEMES = (1400, 800), ("light", "dark")
MOST_PIXELS = 7_500
"""Height of a page that no number of columns passes: the matrix of a wide table once took 12,300."""
DRAWN = ".st-key-pairs-matrix .js-plotly-plot .heatmaplayer image"
"""The matrix in the browser: its colours are a picture."""


@pytest.fixture(scope="module")
def made(server: Server) -> Iterator[Callable[[int], str]]:
    """Return the id of a practice project with two runs, which this process writes to the home of the server.

    A wide one measures single columns only, which is quick.
    """

    @cache
    def rehearsed(columns: int) -> str:
        quick = (("independent", 2.0), ("independent", 1.0))
        methods = {"methods": quick} if columns > 100 else {}
        return rehearsal(server.place / "tables", columns, **methods).id  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARGINALIA_HOME", str(server.home))
        patch.setenv("MARGINALIA_LEDGER", str(server.ledger))
        patch.setenv("MARGINALIA_FOLDER", str(server.place / "tables"))
        (server.place / "tables").mkdir(exist_ok=True)
        yield rehearsed


def height(steward: Steward) -> int:
    page = "return document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
    return int(steward.driver.execute_script(page))


def settled(steward: Steward, page: str, project: str, sight: str) -> None:
    """Open a page and wait until it is idle and `sight` is drawn."""
    steward.open(f"/{page}?p={project}")
    steward.wait(lambda: steward.all(sight), what=f"the charts of {page}")
    steward.settle()


@pytest.mark.parametrize("columns", COLUMNS)
def test_results_and_compare_pass_audits(made: Callable[[int], str], steward: Steward, columns: int) -> None:
    project, script, grave, inks = made(columns), axe(), [], {}
    sights = {"results": DRAWN, "compare": ".st-key-compare-pair-chart .js-plotly-plot .heatmaplayer image"}
    size(steward, WIDTHS[0])
    for page, sight in sights.items():
        settled(steward, page, project, sight)
        for width in WIDTHS:
            for name in THEMES:
                size(steward, width)
                theme(steward, name)
                settled(steward, page, project, sight)
                inks[page, name] = ink(steward)
                where = f"{page}, {columns} columns, {width} pixels, {name}"
                steward.wait(lambda: not overflowing(steward), what=f"all within {where}")
                steward.wait(lambda: not colliding(steward), what=f"no words on words, {where}")
                assert height(steward) < MOST_PIXELS * (1 if width > 1000 else 1.3), where
                grave += audited(steward, script, page=where, theme=name).grave()
        theme(steward, "light")
        size(steward, WIDTHS[0])
    assert not grave, "\n".join(grave)
    assert inks["results", "light"] == {INKS[0], "#ffffff"} and inks["results", "dark"] == {
        INKS[1],
        "#ffffff",
    }


def ink(steward: Steward) -> set[str]:
    """The colours of the numbers on the pair's cells."""
    script = """
      const hex = part => Number(part).toString(16).padStart(2, '0');
      return [...document.querySelectorAll('.st-key-pair-heat .textpoint text')]
        .map(e => '#' + getComputedStyle(e).fill.match(/\\d+/g).slice(0, 3).map(hex).join(''))"""
    return set(steward.driver.execute_script(script))


@pytest.mark.parametrize("columns", COLUMNS)
def test_a_cell_tells_and_opens_its_pair(made: Callable[[int], str], steward: Steward, columns: int) -> None:
    project = made(columns)
    size(steward, WIDTHS[0])
    settled(steward, "results", project, DRAWN)
    assert len(steward.all(MARKS)) < 20, "no mark is drawn for each of many pairs"
    for sort in ("error ",) if columns == COLUMNS[0] else ("",):
        stated = point_at(steward, sort)
        assert " \N{MULTIPLICATION SIGN} " in stated and sort in stated
    press_a_cell(steward)


MARKS = ".st-key-pairs-matrix .scatterlayer .points .point"
CELL = """
  const chart = document.querySelector('.st-key-pairs-matrix .js-plotly-plot');
  chart.scrollIntoView({block: 'center'});
  const marks = chart._fullData.find(trace => trace.customdata && trace.customdata.length);
  const at = marks.customdata.findIndex(cell => cell[2].includes(arguments[0]));
  const {xaxis, yaxis} = chart._fullLayout, box = chart.getBoundingClientRect();
  return [box.left + xaxis._offset + xaxis.l2p(marks.x[at]), box.top + yaxis._offset + yaxis.l2p(marks.y[at]),
    marks.customdata[at]]"""
"""Where the first cell is that tells these words, and what it carries."""


def move_to(steward: Steward, words: str, *, press: bool = False) -> list[str]:
    """Bring the mouse to the first cell with these words and press it, if asked to; what the cell carries."""
    steward.driver.execute_script(CELL, words)  # scrolls
    steward.pause(0.5)
    x, y, carried = steward.driver.execute_script(CELL, words)
    for step in (3, 0):  # a mouse comes from somewhere
        moved = ActionBuilder(steward.driver)
        moved.pointer_action.move_to_location(int(x) + step, int(y) + step)
        moved.perform()
        steward.pause(0.3)
    if press:
        ActionChains(steward.driver).click().perform()
        steward.settle()
    return list(carried)


def point_at(steward: Steward, words: str) -> str:
    """What is told of the first cell with these words."""

    def stated() -> str:
        move_to(steward, words)
        return " ".join(e.text for e in steward.all(".st-key-pairs-matrix .hoverlayer .hovertext"))

    steward.wait(stated, what="the words at a cell")
    return stated()


def axes(steward: Steward, chart: str) -> set[str]:
    """The titles of a chart's axes."""
    return {e.text for e in steward.all(f"{chart} .xtitle, {chart} .ytitle")}


def press_a_cell(steward: Steward) -> None:
    """Press a cell of the matrix and wait for its pair; again, as a person would, while it is being drawn."""

    def pressed() -> bool:
        stated = move_to(steward, "", press=True)[2]
        return axes(steward, ".st-key-pair-heat") == set(stated.partition("<br>")[0].split(TIMES))

    steward.wait(pressed, what="the pressed pair")
