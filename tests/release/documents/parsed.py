"""What a reader of a document sees, and of which parts the document consists."""

from __future__ import annotations

from markdown_it import MarkdownIt

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def markdown_of(text: str) -> tuple[str, set[str]]:
    """Return the characters that Markdown shows outside of code, and the kinds of its parts."""
    blocks = _READER.parse(text)
    parts = [part for block in blocks for part in (block, *(block.children or ()))]
    shown = "".join(part.content for part in parts if part.type in ("text", "text_special"))
    return shown, {part.type.removesuffix("_open").removesuffix("_close") for part in parts}
