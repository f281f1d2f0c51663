from synth.app.ui.text.release import LICENCES
from synth.release.documents.citation import PUBLISHER, spdx, write
from synth.release.documents.statement import Imprint, statement
from synth.release.synthesis import Synthesis


def test_it_names_title_version_day_and_who(synthesis: Synthesis) -> None:
    told = statement(
        synthesis, Imprint(contact="Office\n of counts", licence="CC0-1.0"), release="20261121-0123abcd"
    )
    text = write(told)
    assert 'cff-version: "1.2.0"\n' in text and 'version: "20261121-0123abcd"\n' in text
    assert f'date-released: "{told["release"]["date"]}"\n' in text
    assert 'name: "Office of counts"\n' in text and 'license: "CC0-1.0"\n' in text
    assert "REHEARSAL" not in text


def test_without_words_nobody_and_no_licence_is_invented(rehearsed: Synthesis) -> None:
    text = write(statement(rehearsed, Imprint(), release="x"))
    assert PUBLISHER in text and "license:" not in text and "REHEARSAL, not a release" in text


def test_the_licences_offered_are_recognised_where_they_have_a_name() -> None:
    named = [spdx(licence) for licence in LICENCES]
    assert named == ["CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODC-By-1.0", None]
