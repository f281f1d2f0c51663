from __future__ import annotations

from pathlib import Path

from synth.bench.tables import surveys


def test_the_values_of_a_survey_are_in_the_code_that_begins_with_them(tmp_path: Path) -> None:
    header = "rate_marriage,age,yrs_married,children,religious,educ,occupation,occupation_husb,affairs"
    at = tmp_path / "fair.csv"
    at.write_text(f"{header}\n1,17.5,0.5,0,1,9,1,1,0\n5,42,23,5.5,4,20,6,6,57.6\n2,22,2.5,1,2,12,2,2,0.1\n")
    (codes,) = surveys.blocks("married", at)
    last = [size - 1 for size in surveys.SIZES["married"].values()]
    assert codes.tolist() == [[0] * 9, last, [1] * 9]


def test_grades_and_amounts_of_diamonds_are_in_order(tmp_path: Path) -> None:
    at = tmp_path / "diamonds.csv"
    header = "carat,cut,color,clarity,depth,table,price,x,y,z"
    at.write_text(
        f"{header}\n0.2,Fair,J,I1,43,43,326,0,0,0\n1,Good,I,SI2,45,45,2478,0.25,0.3,0.25\n"
        "5.01,Ideal,D,IF,79,95,18823,10.75,58.9,31.8\n"
    )
    (codes,) = surveys.blocks("diamonds", at)
    last = [size - 1 for size in surveys.SIZES["diamonds"].values()]
    assert codes.tolist() == [[0] * 10, [11, 1, 1, 1, 1, 1, 15, 1, 1, 1], last]
