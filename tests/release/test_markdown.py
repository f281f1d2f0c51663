from pathlib import Path

from synth.release.layout import Layout
from synth.release.markdown import of_html


def test_the_shapes_of_the_report() -> None:
    page = (
        "<html><head><title>no</title><style>p{}</style></head><body><main><h1>Title</h1>"
        '<section><div class="lead"><h2>1. Claim<small>layer</small></h2><p>a <b>b</b> &lt;i&gt;</p></div>'
        "<aside>note</aside><ul><li>one</li><li>two</li></ul><svg><text>hidden</text></svg>"
        '<dl class="trio"><div><dt>delta</dt><dd>10<sup>-9</sup></dd></div></dl>'
        "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>x|y</td><td></td></tr></tbody>"
        "</table><pre>line 1\nline 2</pre></section></main></body></html>"
    )
    text = of_html(page)
    for line in (
        "# Title",
        "## 1. Claim · layer",
        "a **b** &lt;i&gt;",
        "> note",
        "- one",
        "- delta: 10^-9",
        "| A | B |",
        "|---|---|",
        "| x\\|y |  |",
        "line 2",
    ):
        assert line in text.splitlines(), line
    assert "hidden" not in text and "p{}" not in text and "no" not in text.splitlines()


def test_the_text_of_a_whole_report(written: Path) -> None:
    text = (written / Layout().plain_report).read_text()
    assert text == of_html((written / Layout().report).read_text())
    assert "# A survey &amp; &lt;script&gt;alert(1)&lt;/script&gt;" in text.splitlines()
    assert sum(line.startswith("## ") for line in text.splitlines()) == 6
    assert "| sum" in text.replace("**", "") and "<" not in text.replace("&lt;", "")
    assert "sha256sum -c CHECKSUMS.sha256" in text.splitlines()
