from synth.release.markup import listed, section, table


def test_lists_escape_what_they_list() -> None:
    assert listed(["<b>"]) == "<ul><li>&lt;b&gt;</li></ul>"


def test_a_section_keeps_its_first_part_with_the_heading() -> None:
    text = section(2, "T", "layer", "<p>first</p>", "<p>second</p>")
    lead = text[text.index('<div class="lead">') : text.index("</div>")]
    assert "2. T" in lead and "first" in lead and "second" not in lead


def test_heads_over_numbers_are_marked() -> None:
    assert '<th>a</th><th class="num">b</th>' in table(("a", "#b"), "")
