"""A steward at a page: reads, clicks, types, waits until it settles, takes pictures."""

import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.server import PATIENCE, ROOT, RUN_PATIENCE, Server

IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
SHOTS = ROOT / "assets" / "screenshots"
GRID = '[class*="st-key-grid-"] canvas'
ATTEMPTS = 3
"""How often a person types or presses before they believe that a page does not listen."""
UNANSWERED = """
  const {sent, heard} = window.wire ?? {sent: -1e9, heard: 0};
  return heard < sent && performance.now() - sent < 30000"""
"""Whether the server has yet to take notice of what the page sent: until then the page looks idle."""
VALUE = "return document.querySelector(arguments[0])?.value ?? null"
TICKED = "return document.querySelector(arguments[0])?.checked ?? null"
CHOSEN = """
  const [selector, words] = arguments;
  const found = [...document.querySelectorAll(selector)].filter(choice => choice.innerText.includes(words));
  const is = '[aria-checked=true], [aria-pressed=true], [data-selected=true], :has(input:checked)';
  return !found.length || found.some(choice => choice.matches(is))"""
"""Whether a choice with these words is the chosen one, or is there no more."""
LINE = 35
"""Height of a line of the grid, in pixels; the first one holds the heads."""


@dataclass
class Effort:
    """Presses of a mouse.

    A file is chosen by three presses: the button, the file, *Open*.
    """

    presses: int = 0


class Steward:
    """A person at the app in a browser. Every step waits until the page is idle."""

    def __init__(self, driver: WebDriver, server: Server) -> None:
        self.driver, self.server = driver, server
        self.effort = Effort()

    def wait(self, sight: Callable[[], object], *, what: str, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if sight():
                    return
            except (StaleElementReferenceException, WebDriverException):
                pass
            time.sleep(0.1)
        raise AssertionError(f"never saw {what}; the page says: {self.text()[-800:]}")

    def pause(self, seconds: float) -> None:
        """Let the page's own clock go on: what a page under load had to do before, it has done by then."""
        ticks = "const [delay, done] = arguments; setTimeout(() => setTimeout(done, 0), delay)"
        with suppress(WebDriverException):  # another page came instead
            self.driver.execute_async_script(ticks, 1000 * seconds)

    def settle(self) -> None:
        """Wait until the page is idle, and the server has taken notice of all that was done on it."""
        self.pause(0.25)  # what is typed or pressed takes a moment to be sent
        self.wait(lambda: not self.driver.execute_script(UNANSWERED) and self.all(IDLE), what="an idle page")

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def widgets(self) -> list[str]:
        """The keys of all widgets on the page."""
        script = "return [...document.querySelectorAll('[class*=st-key-]')].map(e => e.className)"
        return [
            c[7:] for name in self.driver.execute_script(script) for c in name.split() if c[:7] == "st-key-"
        ]

    def text(self) -> str:
        """The words in sight, with plain spaces."""
        return str(self.driver.execute_script("return document.body.innerText")).replace("\xa0", " ")

    def see(self, words: str, *, seconds: float = PATIENCE) -> None:
        self.wait(lambda: words in self.text(), what=repr(words), seconds=seconds)

    def open(self, path: str = "") -> None:
        self.driver.get(self.server.url + path)
        self.settle()

    def press(
        self, found: Callable[[], list[WebElement]], *, what: str, took: Callable[[], bool] | None = None
    ) -> None:
        """Wait until something can be pressed, and press it; where `took` can tell what came of it, again if
        nothing did, as a person would: what is drawn anew while it is pressed loses the press."""

        def pressed() -> bool:
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found()[0])
            found()[0].click()
            return True

        for attempt in range(ATTEMPTS):
            self.wait(lambda: found() and found()[0].is_enabled(), what=what)
            self.wait(pressed, what=f"{what} within reach")
            self.settle()
            if took is None or took():
                break
            sys.stderr.write(f"nothing came of pressing {what}, attempt {attempt + 1}\n")
        else:
            raise AssertionError(f"nothing came of pressing {what} {ATTEMPTS} times")
        self.effort.presses += 1

    def click(self, key: str) -> None:
        """Press the button of a widget key."""
        self.press(lambda: self.all(f".st-key-{key} button"), what=f"the button {key}")

    def go(self, page: str) -> None:
        """Press a page's link in the list beside every page; again if nothing comes of it, as a person would:
        a link that is drawn anew while it is pressed loses the press."""
        selector = f'[data-testid="stSidebar"] a[href*="{page}"]'
        self.press(lambda: self.all(selector), what=f"the link to {page}")
        pressed = time.monotonic()

        def is_there() -> bool:
            nonlocal pressed
            if f"/{page}" in self.driver.current_url:
                return True
            if time.monotonic() - pressed > 10:
                self.all(selector)[0].click()
                pressed = time.monotonic()
            return False

        self.wait(is_there, what=f"the page {page}")
        self.settle()

    def unfold(self, words: str) -> None:
        """Press the head of something folded."""
        self.press(lambda: [s for s in self.all("summary") if words in s.text], what=f"the fold {words}")

    @property
    def identity(self) -> str:
        """The id of the open project, from the address."""
        return self.driver.current_url.rpartition("=")[2]

    def edit(self, line: int, steps: int, words: str) -> None:
        """Type into a cell of the grid: lines count from 1, steps go right from the column of names."""
        self.wait(lambda: self.all(GRID), what="the grid")
        self.settle()
        canvas = self.all(GRID)[0]
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        self.pause(0.5)
        height, width = canvas.size["height"], canvas.size["width"]
        place = (100 - width // 2, LINE * line + LINE // 2 - height // 2)
        ActionChains(self.driver).move_to_element_with_offset(canvas, *place).click().perform()
        self.pause(0.3)
        ActionChains(self.driver).send_keys(Keys.ARROW_RIGHT * steps).send_keys(Keys.ENTER).perform()
        self.wait(lambda: self.all(".gdg-clip-region, [class*='gdg-'] textarea"), what="an open cell")
        self.pause(0.3)
        keys = ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL)
        keys.send_keys(words).perform()
        self.pause(0.3)
        ActionChains(self.driver).send_keys(Keys.ENTER).perform()
        self.settle()

    def type(self, key: str, words: str) -> None:
        """Replace the content of a box and leave it; again, as a person would, where the box still holds what
        it held before."""
        selector = f".st-key-{key} input, .st-key-{key} textarea"

        def typed() -> bool:
            """Whether all the words came into the box, before it is left."""
            box = self.all(selector)[0]
            box.send_keys(Keys.CONTROL, "a")
            box.send_keys(words)
            if box.get_property("value") != words:
                return False
            box.send_keys(Keys.TAB)
            return True

        self.wait(lambda: self.all(selector), what=f"the box {key}")
        before = self.driver.execute_script(VALUE, selector)
        for attempt in range(ATTEMPTS):
            self.wait(typed, what=f"{words!r} in the box {key}")
            self.settle()
            if words == before or self.driver.execute_script(VALUE, selector) != before:
                break
            sys.stderr.write(f"the box {key} lost {words!r}, attempt {attempt + 1}\n")
        else:
            raise AssertionError(f"the box {key} lost {words!r} {ATTEMPTS} times")
        self.effort.presses += 1

    def dom(self) -> str:
        return str(self.driver.execute_script("return document.documentElement.outerHTML"))

    def shoot(
        self, name: str, *, themes: tuple[str, ...] = ("light", "dark"), address: str = "", top: int = 0
    ) -> None:
        """Keep a picture of the whole page, or of its `top` pixels, in these themes, if asked to.

        An `address` is opened again in each theme: open charts keep the ink of the theme before.
        """
        if os.environ.get("MARGINALIA_SCREENSHOTS") != "1":
            return
        SHOTS.mkdir(exist_ok=True)
        self.driver.execute_script("document.activeElement.blur()")
        for theme in themes:
            media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            if address:
                self.open(address)
            self.settle()
            height = self.driver.execute_script(
                "return document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight + 16"
            )
            size = {"width": 1280, "height": max(int(height), 720), "deviceScaleFactor": 1, "mobile": False}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            time.sleep(1.5)
            place = SHOTS / f"{name}-{theme}.png"
            self.driver.save_screenshot(str(place))
            with Image.open(place) as picture:
                shown = picture.crop((0, 0, picture.width, min(top, picture.height))) if top else picture
                shown.convert("RGB").quantize(128).save(place, optimize=True)
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
        )
        self.settle()

    def choose(self, words: str, *, key: str = "") -> None:
        """Press one segment of a row of choices, or one of a column of them, in the widget of a key."""
        within = f".st-key-{key} " if key else ""
        selector = f'{within}[data-testid^="stButtonGroup"] button, {within}[data-testid="stRadioOption"]'

        def found() -> list[WebElement]:
            return [b for b in self.all(selector) if words in b.text]

        def took() -> bool:
            return bool(self.driver.execute_script(CHOSEN, selector, words))

        self.press(found, what=f"the choice {words}", took=took)

    def pick(self, key: str, words: str) -> None:
        """Type into a box with a list, and take what is offered or what was typed."""
        self.press(lambda: self.all(f".st-key-{key} input"), what=f"the list {key}")
        self.all(f".st-key-{key} input")[0].send_keys(words)
        self.pause(0.3)  # the list narrows while one types
        self.all(f".st-key-{key} input")[0].send_keys(Keys.ENTER)
        self.settle()

    def take(self, key: str, words: str) -> None:
        """Open a list and press the entry with these words; a list that closes when the page is drawn anew is
        opened again."""

        def entries() -> list[WebElement]:
            return [o for o in self.all('[role="option"]') if words in o.text]

        self.press(
            lambda: self.all(f".st-key-{key} input"), what=f"the list {key}", took=lambda: bool(entries())
        )
        self.press(entries, what=f"the entry {words}")

    def tick(self, key: str) -> None:
        """Press a box to tick or a switch."""
        box = f".st-key-{key} input"

        self.wait(lambda: self.all(box), what=f"the box {key}")
        before = self.driver.execute_script(TICKED, box)
        self.press(
            lambda: self.all(f".st-key-{key} label"),
            what=f"the box {key}",
            took=lambda: self.driver.execute_script(TICKED, box) is not before,
        )

    def upload(self, name: str, path: Path) -> None:
        """Give a file to the box whose key ends so."""
        selector = f'[class*="st-key-"][class*="-{name}"] input[type="file"]'
        self.wait(lambda: self.all(selector), what=f"the file box {name}")
        self.all(selector)[0].send_keys(str(path))
        self.effort.presses += 3
        box = f'[class*="st-key-"][class*="-{name}"] [data-testid="stFileChip'
        self.wait(
            lambda: self.all(f'{box}"]') and not self.all(f'{box}IconSpinner"]'), what="the file in its box"
        )
        self.settle()

    def saved(self) -> dict[str, Any]:
        """The open project as it stands on the disk."""
        path = self.server.home / "projects" / self.identity / "project.json"
        return dict(json.loads(path.read_text())["project"])

    def until_saved(self, holds: Callable[[dict[str, Any]], object], *, what: str) -> None:
        self.wait(lambda: holds(self.saved()), what=f"{what} on the disk")

    def begin(self, name: str, *, population: str, rows: int = 20_000) -> None:
        """Create a real project and answer who is protected: one row per person."""
        self.open()
        self.type("new-name", name)
        self.choose("Real release", key="new-kind")
        self.click("start-project")
        self.see("Suitability")
        self.choose("Yes", key="people")
        self.choose("Yes", key="records")
        self.choose("Embarrassment", key="harm")
        self.type("rows-about", str(rows))
        self.type("max-rows", "1")
        self.pick("population", population)
        self.click("next-unit")

    def take_file(self, path: Path) -> None:
        """Upload the table on the Columns page."""
        self.see("The private file")
        if "On this computer" not in self.text():
            self.unfold("Choose another file")
        self.choose("On this computer")
        self.upload("upload", path)
        self.click("use-file")
        self.see(f"An uploaded file, {path.name}, kept")

    def take_dictionary(self, path: Path) -> None:
        """Upload the data dictionary on the Columns page; its columns must be complete."""
        self.upload("dictionary", path)
        self.click("load-dictionary")
        self.see("The columns can be used")

    def next(self, *pages: str) -> None:
        """Confirm these pages, one after the other."""
        for page in pages:
            self.click(f"next-{page}")
            self.wait(
                lambda page=page: f"/{page}" not in self.driver.current_url, what=f"what follows {page}"
            )
            self.settle()

    def start(self, name: str) -> str:
        """Confirm the review and return the run's name. The first run creates the lifetime budget."""
        before = len(self.saved()["runs"])
        self.type("confirm-name", name)
        self.click("spend")
        self.until_saved(lambda project: len(project["runs"]) == before + 1, what="a run")
        return str(self.saved()["runs"][-1])

    def finished(self) -> None:
        """Wait until the run has finished and its results can be opened."""
        self.wait(lambda: self.all(".st-key-see-results button"), what="a finished run", seconds=RUN_PATIENCE)

    def publish(self, use: str, *, picture: str = "") -> None:
        self.type("use", use)
        self.take("licence", "CC BY 4.0")
        self.type("contact", "Office of statistics")
        self.type("approver", "A. Mole")
        if picture:
            self.shoot(picture)
        self.tick("agreed")
        self.click("publish")
        self.wait(
            lambda: self.all(".st-key-download button"), what="the published package", seconds=RUN_PATIENCE
        )

    def download(self) -> Path:
        """Press the button and wait for the whole file."""
        place = self.server.place / "downloads"
        self.click("download")
        self.wait(lambda: list(place.glob("*.zip")), what="a downloaded zip")
        return next(place.glob("*.zip"))

    @staticmethod
    def verified(archive: Path, folder: Path) -> Path:
        """The bundle unzipped, its checksums compared by hand and by our own command."""
        with zipfile.ZipFile(archive) as content:
            assert content.testzip() is None
            content.extractall(folder)
        (sums,) = folder.rglob("CHECKSUMS.sha256")
        compared = subprocess.run(
            ["sha256sum", "--check", "--quiet", sums.name], cwd=sums.parent, check=False
        )
        assert compared.returncode == 0
        ours = [sys.executable, "-m", "synth", "verify", str(sums.parent)]
        assert subprocess.run(ours, cwd=ROOT, check=False, capture_output=True).returncode == 0
        return sums.parent
