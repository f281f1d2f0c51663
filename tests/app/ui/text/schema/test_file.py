from __future__ import annotations

from synth.app.project.describe.sources import Place
from synth.app.ui.text.schema import file as text
from synth.core.schema import DECIMAL_SIGNS, DateOrder, LineBreaks


def test_every_way_a_file_may_be_written_and_lie_has_words_of_its_own() -> None:
    told = ((text.DATES, DateOrder), (text.BREAKS, LineBreaks), (text.DECIMALS, DECIMAL_SIGNS))
    for words, ways in told:
        assert set(words) == set(ways)
        assert len(set(words.values())) == len(words)
    assert set(text.FILE_CHOSEN) == set(Place) - {Place.PENDING}
