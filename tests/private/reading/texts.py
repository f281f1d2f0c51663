"""Return a column as one string per row."""

from synth.private.reading.text_column import TextColumn


def texts_of(column: TextColumn) -> list[str]:
    texts = column.texts.to_pylist()
    return [texts[i] for i in column.index]
