"""*Results* and *Compare* of narrow and of wide tables: how soon they settle, and who can reach a pair.

`MARGINALIA_PICTURES=/tmp/pairs pytest tests/browser/test_pairs.py -s` prints the seconds until a page no
longer changes and how long the browser's main thread computed for it, which no test asserts, and keeps
pictures of both pages in both themes at two widths there.
`MARGINALIA_COLUMNS=11` leaves the wide tables out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys

from synth.core.numbers import TIMES
from tests.app.figures.test_marks import INKS
from tests.browser.looks import colliding, overflowing, size
from tests.browser.server import Server
from tests.browser.steward import Steward
from tests.browser.test_every_page import audited, axe, theme
from tests.browser.wide import rehearsal

pytestmark = [pytest.mark.browser, pytest.mark.long]

PICTURES = os.environ.get("MARGINALIA_PICTURES", "")
COLUMNS = tuple(int(of) for of in os.environ.get("MARGINALIA_COLUMNS", "11,60,200").split(","))
ENDS = tuple(dict.fromkeys((COLUMNS[0], COLUMNS[-1])))
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


def settled(steward: Steward, page: str, project: str, sight: str) -> float:
    """Open a page and wait until it is idle, `sight` is drawn and nothing has changed for a second; the
    seconds from navigation to the last change, by the clock of the page."""
    steward.driver.get(f"{steward.server.url}/{page}?p={project}")
    steward.wait(lambda: steward.all(sight), what=f"the charts of {page}")
    steward.settle()
    still = """
      const done = arguments[0], begun = performance.now();
      let last = begun;
      const see = new MutationObserver(() => { last = performance.now(); });
      see.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
      const look = () => {
        if (performance.now() - last < 1000) { setTimeout(look, 50); return; }
        see.disconnect();
        done(last); };
      look()"""
    return float(steward.driver.execute_async_script(still)) / 1000


def busy(steward: Steward) -> float:
    """Processor seconds the browser's main thread has spent on its tasks since the page was opened, whatever
    else the machine did."""
    told = steward.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(one["value"] for one in told if one["name"] == "TaskDuration"))


@pytest.mark.parametrize("columns", COLUMNS)
def test_results_and_compare_settle_fit_the_page_and_pass_the_audit(
    made: Callable[[int], str], steward: Steward, columns: int
) -> None:
    project, script, grave, inks = made(columns), axe(), [], {}
    sights = {"results": DRAWN, "compare": ".st-key-compare-pair-chart .js-plotly-plot .heatmaplayer image"}
    size(steward, WIDTHS[0])
    steward.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    for page, sight in sights.items():
        first = settled(steward, page, project, sight)
        again = settled(steward, page, project, sight)
        work, load = busy(steward), os.getloadavg()[0]
        sys.stdout.write(
            f"\n{page}, {columns} columns: {first:.1f} s at first, {again:.1f} s again, of which the browser "
            f"computed {work:.1f}; load {load:.0f}\n"
        )
        for width in WIDTHS:
            for name in THEMES:
                size(steward, width)
                theme(steward, name)
                settled(steward, page, project, sight)
                inks[page, name] = ink(steward)
                where = f"{page}, {columns} columns, {width} pixels, {name}"
                steward.wait(lambda: not overflowing(steward), what=f"all within {where}")
                steward.wait(lambda: not colliding(steward), what=f"no words on words, {where}")
                tall = height(steward)
                assert tall < MOST_PIXELS * (1 if width > 1000 else 1.3), where
                grave += audited(steward, script, page=where, theme=name).grave()
                if PICTURES:
                    size(steward, width, tall + 16)
                    steward.pause(1.5)
                    steward.driver.save_screenshot(f"{PICTURES}/{page}-{columns}-{width}-{name}.png")
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


@pytest.mark.parametrize("columns", ENDS)
def test_a_pair_is_opened_by_keys_alone(made: Callable[[int], str], steward: Steward, columns: int) -> None:
    project = made(columns)
    size(steward, WIDTHS[0])
    settled(steward, "results", project, DRAWN)
    alt = ".st-key-pair-heat"
    by_keys(steward, "pair-one", "Rooms 1")
    by_keys(steward, "pair-other", "Household size 1")
    steward.wait(lambda: "Rooms 1" in axes(steward, alt), what="the pair in the heat map")
    assert {"Rooms 1", "Household size 1"} == axes(steward, alt)


@pytest.mark.parametrize("columns", ENDS)
def test_a_cell_tells_its_pair_where_it_is_pointed_at_and_opens_it_when_pressed(
    made: Callable[[int], str], steward: Steward, columns: int
) -> None:
    project = made(columns)
    size(steward, WIDTHS[0])
    settled(steward, "results", project, DRAWN)
    assert len(steward.all(MARKS)) < 20, "no mark is drawn for each of many pairs"
    for sort in ("error ",) if columns == COLUMNS[0] else ("",):
        told = point_at(steward, sort)
        assert " \N{MULTIPLICATION SIGN} " in told and sort in told
    press_a_cell(steward)


@pytest.mark.parametrize("columns", ENDS)
def test_a_search_by_two_names_leaves_the_pairs_that_have_both(
    made: Callable[[int], str], steward: Steward, columns: int
) -> None:
    project = made(columns)
    size(steward, WIDTHS[0])
    settled(steward, "results", project, DRAWN)
    steward.type("pairs-search", "Rooms 1, Weekly hours 1")
    chart = "document.querySelector('.st-key-pairs-matrix .js-plotly-plot')"
    held = f"return {chart}._fullData.map(trace => trace.customdata)"

    def found() -> set[str]:
        return {
            cell[2].partition("<br>")[0]
            for cells in steward.driver.execute_script(held)
            for cell in cells or ()
        }

    def has_both(pair: str) -> bool:
        titles = pair.split(TIMES)
        return any("Rooms 1" in title for title in titles) and any(
            "Weekly hours 1" in title for title in titles
        )

    steward.wait(lambda: found() and all(map(has_both, found())), what="only pairs with both names")
    assert TIMES.join(("Weekly hours 1", "Rooms 1")) in found()


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

    def told() -> str:
        move_to(steward, words)
        return " ".join(e.text for e in steward.all(".st-key-pairs-matrix .hoverlayer .hovertext"))

    steward.wait(told, what="the words at a cell")
    return told()


def by_keys(steward: Steward, key: str, words: str) -> None:
    """Walk to a box by the tabulator, type a column's name and take it; no mouse."""
    box = f".st-key-{key} input"
    steward.wait(lambda: steward.all(box), what=f"the box {key}")
    for _ in range(400):
        if steward.driver.execute_script("return document.activeElement.matches(arguments[0])", box):
            break
        ActionChains(steward.driver).send_keys(Keys.TAB).perform()
    else:
        raise AssertionError(f"the tabulator never came to the box {key}")
    ActionChains(steward.driver).send_keys(words).perform()
    steward.wait(lambda: offered(steward)[:1] == [words], what=f"{words} in the list of {key}")
    ActionChains(steward.driver).send_keys(Keys.ENTER).perform()
    steward.wait(lambda: not offered(steward), what=f"the list of {key} closed")
    steward.settle()


def offered(steward: Steward) -> list[str]:
    """What the open list of a box offers."""
    return [option.text for option in steward.all('[role="option"]')]


def axes(steward: Steward, chart: str) -> set[str]:
    """The titles of a chart's axes."""
    return {e.text for e in steward.all(f"{chart} .xtitle, {chart} .ytitle")}


def press_a_cell(steward: Steward) -> None:
    """Press a cell of the matrix and wait for its pair; again, as a person would, while it is being drawn."""

    def pressed() -> bool:
        told = move_to(steward, "", press=True)[2]
        return axes(steward, ".st-key-pair-heat") == set(told.partition("<br>")[0].split(TIMES))

    steward.wait(pressed, what="the pressed pair")
