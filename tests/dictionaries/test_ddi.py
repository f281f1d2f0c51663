"""Test DDI codebooks: labels and kinds are read, and facts about the data are not."""

import pytest

from synth.core.errors import Mistake
from synth.dictionaries import read_draft
from synth.dictionaries.drafts import Format
from tests.dictionaries.test_excel import columns

CODEBOOK = """<?xml version="1.0"?>
<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
 <var name="SEX" intrvl="discrete" nature="nominal">
  <labl>Sex of the person</labl>
  <sumStat type="min">1</sumStat><sumStat type="max">77777</sumStat>
  <catgry><catValu>1</catValu><labl>male</labl><catStat type="freq">88888</catStat></catgry>
  <catgry><catValu>2</catValu><labl>female</labl></catgry>
  <catgry missing="Y"><catValu>.</catValu></catgry></var>
 <var name="HEALTH" nature="ordinal">
  <catgry><catValu>1</catValu></catgry>
  <catgry><catValu>2</catValu></catgry></var>
 <var name="AGE" intrvl="contin"><valrng><range min="0" max="99"/></valrng>
  <invalrng><item VALUE="-9"/></invalrng><catgry missing="Y"><catValu>999</catValu></catgry></var>
 <var name="PAY" intrvl="contin" dcml="2"><sumStat type="min">77777</sumStat>
  <sumStat type="max">88888</sumStat></var>
 <var name="NAME"><varFormat type="character"/></var>
</dataDscr></codeBook>"""


def test_a_codebook_is_read_without_what_was_found_in_the_data() -> None:
    draft = read_draft(CODEBOOK.encode(), name="study.xml")
    assert draft.format is Format.DDI and draft.document["name"] == "study"
    found = columns(draft)
    assert (found["SEX"]["values"], found["SEX"]["labels"]) == (["1", "2"], ["male", "female"])
    assert found["SEX"]["title"] == "Sex of the person" and found["HEALTH"]["kind"] == "ordered"
    assert (found["AGE"]["kind"], found["AGE"]["min"], found["AGE"]["max"]) == ("integer", 0, 99)
    assert found["AGE"]["missing"] == ["999", "-9"]
    assert found["PAY"]["kind"] == "decimal" and "max" not in found["PAY"]
    assert len(draft.notes) == 2 and "77777" not in str(draft) and "88888" not in str(draft)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"<codeBook>", "not an XML document"),
        (b"<codeBook/>", "names no variable"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><codeBook/>', "entities"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><codeBook/>'.encode("utf-16"), "entities"),
    ],
)
def test_what_is_no_codebook_is_told(raw: bytes, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        read_draft(raw, name="study.xml")
