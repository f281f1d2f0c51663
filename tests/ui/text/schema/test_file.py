from __future__ import annotations

from synth.project.sources import Place
from synth.schema import DECIMAL_SIGNS, DateOrder, LineBreaks
from synth.ui.text.schema import file as text


def test_every_way_a_file_may_be_written_and_lie_has_words_of_its_own() -> None:
    told = ((text.DATES, DateOrder), (text.BREAKS, LineBreaks), (text.DECIMALS, DECIMAL_SIGNS))
    for words, ways in told:
        assert set(words) == set(ways)
        assert len(set(words.values())) == len(words)
    assert set(text.FILE_CHOSEN) == set(Place) - {Place.PENDING}
