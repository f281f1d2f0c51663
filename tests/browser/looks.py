"""Whether a page looks as it should: nothing wider than it, no words on words, nothing cut off."""

from tests.browser.steward import Steward


def size(steward: Steward, width: int, height: int = 900) -> None:
    shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    steward.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shape)


def overflowing(steward: Steward) -> list[str]:
    """What is wider than the page; a table of text scrolls by itself, and a closed fold is not seen."""
    script = """
      const page = document.querySelector('[data-testid=stMainBlockContainer]').getBoundingClientRect();
      return [...document.querySelectorAll('[data-testid=stMainBlockContainer] [data-testid^=st]')]
        .filter(e => e.offsetParent && !e.closest('details:not([open]), [data-testid=stTable]'))
        .filter(e => e.getBoundingClientRect().right > page.right + 2)
        .map(e => e.dataset.testid)"""
    return list(steward.driver.execute_script(script))


def colliding(steward: Steward) -> list[str]:
    """Words of charts that lie on one another: titles of panels and of axes, and labels under an axis that
    are level or upright. The boxes of tilted ones overlap where the words do not: these lie too close if the
    distance of their lines is less than most of a letter's height."""
    script = """
      const found = [], tilt = e => {
        const told = /rotate\\(([-\\d.]+)/.exec(e.getAttribute('transform'));
        return told ? Math.abs(Number(told[1])) : 0; };
      const lie = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
      for (const chart of document.querySelectorAll('.js-plotly-plot')) {
        const labels = [...chart.querySelectorAll('.xtick text')];
        const level = labels.filter(e => tilt(e) === 0);
        const upright = labels.filter(e => tilt(e) === 90).map(e => e.getBoundingClientRect());
        const named = chart.querySelectorAll('.annotation-text, text[class$=title], .legendtext');
        const words = [...named, ...level]
          .map(e => [e.textContent, e.getBoundingClientRect()]).filter(([t, r]) => t && r.width);
        for (let i = 0; i < words.length; i++) {
          const [word, place] = words[i];
          if (upright.some(label => lie(place, label))) found.push(word + ' on labels');
          for (let j = i + 1; j < words.length; j++)
            if (lie(place, words[j][1])) found.push(word + ' on ' + words[j][0]);
        }
        for (const axis of new Set([...chart.querySelectorAll('.xtick')].map(e => e.parentElement))) {
          const tilted = [...axis.querySelectorAll('text')].filter(e => !level.includes(e) && e.textContent)
            .map(e => [e.getBoundingClientRect().right, e]).sort((a, b) => a[0] - b[0]);
          for (let i = 1; i < tilted.length; i++) {
            const [place, e] = tilted[i], size = parseFloat(getComputedStyle(e).fontSize);
            const apart = (place - tilted[i - 1][0]) * Math.sin(tilt(e) * Math.PI / 180);
            if (apart < 0.75 * size) found.push(e.textContent + ' by ' + tilted[i - 1][1].textContent);
          }
        }
      }
      return found"""
    return list(steward.driver.execute_script(script))


def cut_off(steward: Steward) -> list[str]:
    """Choices of a row that reach out of it, and labels of boxes and switches that are not shown whole."""
    script = """
      const seen = e => e.offsetParent && !e.closest('details:not([open])');
      const found = [];
      for (const row of document.querySelectorAll('[data-testid=stButtonGroup]')) {
        const end = row.getBoundingClientRect().right + 2;
        found.push(...[...row.querySelectorAll('button')]
          .filter(e => seen(e) && e.getBoundingClientRect().right > end).map(e => e.textContent));
      }
      const labels = document.querySelectorAll('[data-testid=stCheckbox] p');
      found.push(...[...labels].filter(e => seen(e) && e.scrollWidth > e.clientWidth + 1)
        .map(e => e.textContent));
      return found"""
    return list(steward.driver.execute_script(script))
