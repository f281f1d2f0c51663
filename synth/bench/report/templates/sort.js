"use strict";
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const number = (text) => {
    const found = text.replace(/,/g, "").match(/-?\d*\.?\d+(e-?\d+)?/i);
    return found ? parseFloat(found[0]) : NaN;
  };
  table.querySelectorAll("th").forEach((head, at) => {
    head.tabIndex = 0;
    head.setAttribute("role", "button");
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const isNumber =
        head.classList.contains("num") ||
        [...body.rows].every((row) => row.cells[at] && /^(-$|-?[\d.])/.test(row.cells[at].textContent.trim()));
      const key = (row) => (row.cells[at] ? row.cells[at].textContent.trim() : "");
      const order = (a, b) => {
        if (!isNumber) return key(a).localeCompare(key(b));
        const [x, y] = [number(key(a)), number(key(b))];
        return Number.isNaN(x) - Number.isNaN(y) || x - y;
      };
      const rows = [...body.rows].sort((a, b) => (down ? order(b, a) : order(a, b)));
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => event.key === "Enter" && sort());
  });
  {
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Show rows with ...";
    field.setAttribute("aria-label", "Show rows with these words");
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.parentElement.before(field);
  }
}
