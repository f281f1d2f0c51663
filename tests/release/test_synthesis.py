from fractions import Fraction

from synth.release.synthesis import Spend


def test_a_line_of_the_receipt_keeps_whole_units() -> None:
    line = Spend(part="mechanism", question="measure", cliques=(("age",),), units=14_973_057_673, step=0)
    assert Fraction(line.units, 10**12) == Fraction("0.014973057673")
