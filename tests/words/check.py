"""Check the language of everything a person reads: `make words`.

For each place: banned words, the length of sentences, headings and buttons, and one term per concept. The
rules are in CONTRIBUTING.md.

    python -m tests.words.check            # all places
    python -m tests.words.check synth/app  # files under a folder
"""

import ast
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parents[2]

BANNED = {
    r"told": "stated, shown, reported",
    r"reckon(?:s|ed|ing)?": "calculate",
    r"anew": "again",
    r"whoever": "anyone who",
    r"whatever": "name the thing",
    r"whichever": "name the thing",
    r"(?<!there )(?-i:is none)": "is not a ...",
    r"of itself": "automatically",
    r"shall": "must, will",
    r"drowns?|drowned|drowning": "falls below the noise",
    r"budget lines?": "lifetime budget",
    r"red flags?": "warning",
    r"steward's view": "private evaluation",
    r"(?<!marginalia )(?-i:[Rr]ehearsals?(?!=))": "practice run",
    r"unit of protection": "privacy unit",
    r"waved? through": "accept",
    r"law of adding up": "composition",
    r"noisy answers?": "noisy measurements",
    r"held back": "hold-out",
    r"nobody": "no one",
    r"somebody": "someone",
    r"thrice": "three times",
    r"hitherto|thereof|therein|wherein|whereof": "plain words",
}
"""Words and old terms, with what to write. Matched as whole words, in any case."""

LEADING_DOT = re.compile(r"(?<![\w.\])'\"/*`{])\.\d+(?![\w.])")
PLACES = {
    "app": (("synth/app/ui/text", "synth/app/ui", "pages"), 20, 12.0),
    "docs": (("README.md", "CONTRIBUTING.md", "assets/docs"), 25, 16.0),
    "report": (("synth/release/documents/templates",), 25, 16.0),
    "errors": (("synth/core/errors.py",), 35, 18.0),
}
"""Name: where, the most words of a sentence, the highest mean."""
BUTTONS = {"button", "form_submit_button", "download_button", "link_button"}
MOST_IN_A_BUTTON, MOST_IN_A_HEADING = 4, 5


@dataclass(frozen=True, kw_only=True)
class Text:
    """Something a person reads: where it is, and its words."""

    path: Path
    line: int
    text: str


def python_texts(path: Path) -> Iterator[Text]:
    """The texts of a module: constants with a space in them that are neither docstrings nor code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs, inside = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docs.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inside |= {id(value) for value in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces = [v.value if isinstance(v, ast.Constant) else "X" for v in node.values]
            text = "".join(str(piece) for piece in pieces)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | inside:
            text = node.value
        else:
            continue
        if " " in text.strip() and not text.lstrip().startswith(("SELECT", "<", ".", "#", "{", "import ")):
            yield Text(path=path, line=node.lineno, text=text)


def docstrings(path: Path) -> Iterator[Text]:
    """Docstrings and the strings below constants."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield Text(path=path, line=node.lineno, text=node.value.value)


def comments(path: Path) -> Iterator[Text]:
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield Text(path=path, line=token.start[0], text=token.string)


def document_texts(path: Path) -> Iterator[Text]:
    """Paragraphs, list items and table cells of a document or template, without code and markup."""
    text = re.sub(
        r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    text = re.sub(r"\{%.*?%\}|\{#.*?#\}|<[^>]*>", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"\{\{.*?\}\}", "X", text, flags=re.S)
    start, lines = 1, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        begins = re.match(r"\s*(?:[-*]|\d+\.)\s|#|\|", line)
        if (not line.strip() or begins) and lines:
            yield Text(path=path, line=start, text=" ".join(lines))
            lines = []
        if line.startswith("|"):
            for cell in line.strip("|").split("|"):
                yield Text(path=path, line=number, text=cell.strip())
        elif line.strip():
            if not lines:
                start = number
            lines.append(line.strip().lstrip("-*").strip())


def sentences(text: str) -> list[str]:
    """The sentences of a text, without code, links and formulas."""
    text = re.sub(r"`[^`]*`", "X", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|vs|cf|et al)\.", r"\1", text)
    return [s.strip() for s in re.split(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*[-*] ", text) if s.strip()]


def words_in(sentence: str) -> int:
    return len(re.findall(r"[A-Za-z][\w'-]*|\d[\d.,%]*", sentence))


def files(places: Iterable[str]) -> list[Path]:
    found: dict[Path, None] = {}
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in (".py", ".md", ".j2") and "__pycache__" not in file.parts:
                found[file] = None
    return list(found)


def texts_of(path: Path) -> list[Text]:
    return list(python_texts(path) if path.suffix == ".py" else document_texts(path))


def banned(text: Text) -> Iterator[str]:
    plain = re.sub(r"`[^`]*`", "", text.text)
    for pattern, instead in BANNED.items():
        for match in re.finditer(rf"\b(?:{pattern})\b", plain, re.IGNORECASE):
            yield f"{where(text)}: '{match[0]}' (write: {instead})"
    for match in LEADING_DOT.finditer(plain):
        yield f"{where(text)}: '{match[0]}' (write 0{match[0]})"


def where(text: Text) -> str:
    return f"{text.path.relative_to(ROOT)}:{text.line}"


def long_sentences(place: str, chosen: list[Path]) -> Iterator[str]:
    _, most, highest = PLACES[place]
    lengths = []
    for path in chosen:
        for text in texts_of(path):
            for sentence in sentences(text.text):
                if (length := words_in(sentence)) > 2:
                    lengths.append(length)
                if length > most:
                    yield f"{where(text)}: {length} words, at most {most}: {sentence[:90]}"
    if lengths and mean(lengths) > highest:
        yield f"{place}: {mean(lengths):.1f} words per sentence on average (at most {highest:.0f})"


def buttons() -> Iterator[str]:
    """Labels of buttons that are written as a text or as a constant of a text module."""
    constants = {}
    for path in (ROOT / "synth/app/ui/text").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                constants |= {t.id: node.value.value for t in node.targets if isinstance(t, ast.Name)}
    for path in files(["synth/app/ui", "pages"]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in BUTTONS
                and node.args
            ):
                first = node.args[0]
                label = (
                    constants.get(first.attr)
                    if isinstance(first, ast.Attribute)
                    else getattr(first, "value", None)
                )
                if isinstance(label, str) and words_in(re.sub(r":\w+[/\w]*:", "", label)) > MOST_IN_A_BUTTON:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: long button: {label!r}"


def headings() -> Iterator[str]:
    for path in files(PLACES["docs"][0]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"#+ ", line) and words_in(line) > MOST_IN_A_HEADING:
                yield f"{path.relative_to(ROOT)}:{number}: heading of {words_in(line)} words: {line}"


def findings(under: list[str]) -> list[str]:
    """Everything to correct, one line each."""
    found: list[str] = []
    for place, (places, _, _) in PLACES.items():
        chosen = files(places)
        found += long_sentences(place, chosen)
        for path in chosen:
            found += [line for text in texts_of(path) for line in banned(text)]
    for path in files(["synth", "pages", "app.py"]):
        if path.suffix == ".py":
            every = (*python_texts(path), *docstrings(path), *comments(path))
            found += [line for text in every for line in banned(text)]
    found += buttons()
    found += headings()
    found = list(dict.fromkeys(found))
    return [line for line in found if not under or line.startswith(tuple(under))]


def main(under: list[str]) -> int:
    found = findings(under)
    print("\n".join(found) or "No findings.")
    if found:
        print(f"{len(found)} findings")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
