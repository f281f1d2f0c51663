from pathlib import Path

from synth.bench.tables.bank_ordered import SIZES, blocks

HEADER = "age;job;education;balance;housing;day;month;duration;campaign;pdays;previous;y"
ROWS = (
    "58;management;tertiary;2143;yes;5;may;261;1;-1;0;no",
    "99;retired;unknown;-9000;no;31;dec;4000;50;871;275;yes",
)


def test_numbers_are_cut_at_public_ranges_and_words_ranked(tmp_path: Path) -> None:
    published = tmp_path / "bank.csv"
    published.write_text("\n".join([HEADER, *ROWS]) + "\n", encoding="utf-8")
    (codes,) = blocks(published)
    one, other = (dict(zip(SIZES, row, strict=True)) for row in codes.tolist())
    assert one == {
        "age": 16, "balance": 8, "day": 4, "duration": 5, "campaign": 0, "pdays": 0, "previous": 0,
        "month": 4, "education": 3, "housing": 1, "y": 0,
    }  # fmt: skip
    assert other == {
        "age": 31, "balance": 0, "day": 30, "duration": 31, "campaign": 31, "pdays": 31, "previous": 31,
        "month": 11, "education": 0, "housing": 0, "y": 1,
    }  # fmt: skip
