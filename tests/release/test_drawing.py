from synth.release import charts
from synth.release.drawing import Drawing


def test_the_words_of_a_picture_are_those_of_its_label() -> None:
    drawn = Drawing.of('<svg role="img" aria-label="a &lt;b&gt; &#x27;c&#x27;">x</svg>')
    assert drawn.words == "a <b> 'c'" and drawn.svg.startswith("<svg")


def test_a_bar_of_shares_tells_its_key() -> None:
    bar = Drawing.of_shares([("<one>", 0.991), ("two", 0.009)])
    assert bar.key == (("<one>", "99 %"), ("two", "under 1 %"))
    assert bar.svg == charts.stacked([("<one>", 0.991), ("two", 0.009)])
