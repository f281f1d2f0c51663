import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synth.core.axis import Axis
from synth.core.errors import Mistake
from synth.core.schema import Column, Kind
from synth.release import csv_text
from synth.release.csv_text import guard, of_any, unguard
from synth.release.synthesis import Synthesis

ACTIVE = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")
TEXTS = st.text(
    st.sampled_from("'=+-@\t\r\n\0 \u00a0ab1.e\uff1d\"") | st.characters(codec="utf-8"), max_size=8
)


@given(TEXTS)
@example('=HYPERLINK("http://x")')
@example("''=1")
@example("\u00a0=1")
@example("-1+1")
def test_no_guarded_text_can_start_a_formula_and_none_is_lost(text: str) -> None:
    written = guard(text)
    assert unguard(written) == text
    assert written in (text, f"'{text}")
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", written):
        assert not written.startswith(ACTIVE)
        assert not written.strip().startswith(ACTIVE)


@pytest.mark.parametrize("number", ["-1", "-1.5", "-2e-7", "0", "12"])
def test_numbers_stay_numbers(number: str) -> None:
    assert guard(number) == number


@pytest.mark.parametrize("formula", ["-1+1", "-", "+1", "=1", "@SUM(A1)", "-1 to 5", "\u2212x"])
def test_what_only_looks_like_a_number_is_guarded(formula: str) -> None:
    assert guard(formula) == f"'{formula}"


def axis(
    kind: Kind, *, labels: tuple[object, ...] = (), edges: tuple[float, ...] = (), **more: object
) -> Axis:
    column = Column(name="c", kind=kind, **more)  # type: ignore[arg-type]
    return Axis(column=column, labels=labels, edges=edges)  # type: ignore[arg-type]


def test_what_was_written_is_read_back(synthesis: Synthesis) -> None:
    parsed = csv_text.read(
        csv_text.write(synthesis.table, synthesis.evidence.codebook.axes), synthesis.evidence.codebook.axes
    )
    assert not any(parsed.outside.values())
    for name in synthesis.table:
        written, read = synthesis.table[name], parsed.frame[name]
        assert written.isna().tolist() == read.isna().tolist()
        assert written.dropna().tolist() == read.dropna().tolist()


@pytest.mark.parametrize(
    ("one", "good", "bad"),
    [
        (axis(Kind.INTEGER, edges=(0.0, 5.0, 10.0)), ["0", "9", ""], ["10", "-1", "1.5", "x", " ", "1e0"]),
        (axis(Kind.DECIMAL, edges=(0.0, 1.0)), ["0.0", "1.0", "1e-3"], ["1.0001", "nan", "-0.1", "inf"]),
        (axis(Kind.DATE, edges=(0.0, 31.0)), ["1970-01-01", "1970-01-31"], ["1970-02-01", "1970-01-32", "x"]),
        (axis(Kind.CATEGORY, labels=("a", "=b", 3)), ["a", "'=b", "3", ""], ["=b", "A", "c", "4"]),
        (axis(Kind.CATEGORY, labels=("a",), blank=False), ["a"], [""]),
    ],
)
def test_cells_outside_the_declared_domain_are_counted(one: Axis, good: list[str], bad: list[str]) -> None:
    text = "c\r\n" + "".join(f'"{cell}"\r\n' for cell in [*good, *bad])
    assert csv_text.read(text, [one]).outside == {"c": len(bad)}


@pytest.mark.parametrize("text", ["", "d\r\n1\r\n", "c\r\n1,2\r\n", 'c\r\n"1\r\n'])
def test_text_that_is_not_the_declared_table_is_refused(text: str) -> None:
    with pytest.raises(Mistake, match="synthetic table"):
        csv_text.read(text, [axis(Kind.INTEGER, edges=(0.0, 5.0))])


def test_the_text_is_what_the_csv_module_writes_row_by_row():
    words = ["x", "y,z", '"q', "", " lead", "a\nb", "a\rb", "é", "=1", "'t", "trail ", "\0", None]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "=whole": pd.array(rng.integers(-5, 5, 500), dtype="Int64"),
            'word, "quoted"': pd.Series(rng.choice(np.array(words, dtype=object), 500), dtype="string"),
            "number": rng.choice([0.0, -0.0, np.nan, 1e-7, 1e22, 3.5], 500),
            "truth": pd.array(rng.choice([True, False], 500), dtype="boolean"),
            "mixed": pd.Series(rng.choice(np.array([1, "Other", None, 2.5], dtype=object), 500)),
        }
    )

    def cell(value):
        if value is None or value is pd.NA or value != value:
            return ""
        if isinstance(value, str):
            return csv_text.guard(value)
        return repr(value) if isinstance(value, float) else str(value)

    for part in (frame, frame.iloc[:, 1:2], frame.iloc[:, 2:3], frame.iloc[:1], frame.iloc[:0]):
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow([csv_text.guard(name) for name in part.columns])
        writer.writerows(zip(*([cell(v) for v in part[name].tolist()] for name in part.columns), strict=True))
        assert csv_text.write(part, ()) == out.getvalue()


PIECE = st.sampled_from(["1", "a", ",", "\r\n", "\n", "\r", '"', " ", "", "é", "\0", "\ufeff", "'=1", "-1"])


@given(st.lists(PIECE, max_size=20).map("".join))
@example("a,1\r\na\r\n")
@example(",1\0")
@example("a,1\r\n\r\na,1\r\n")
def test_a_text_is_read_alike_with_quotes_and_without(tail: str) -> None:
    axes = (
        Axis(column=Column(name="x", kind=Kind.CATEGORY, values=("a", "=1", "é")), labels=("a", "=1", "é")),
        Axis(column=Column(name="n", kind=Kind.INTEGER, min=-1, max=1), edges=(-1.0, 0.0, 1.0, 2.0)),
    )
    plain = f"x,n\r\na,1\r\n{tail}\r\n"
    quoted = plain.replace("x,n", '"x",n', 1)

    def stated(text: str) -> object:
        try:
            found = csv_text.read(text, axes)
        except Mistake as mistake:
            return str(mistake)
        return found.frame.to_csv(), found.outside

    assert stated(plain) == stated(quoted)


def test_a_column_of_decimals_has_as_many_of_them_in_every_cell() -> None:
    one = axis(Kind.DECIMAL, edges=(0.0, 50.0, 100.0), min=0, max=100, decimals=2)
    frame = pd.DataFrame({"c": pd.Series([90.5, 7.0, 0.125, None], dtype="Float64")})
    text = csv_text.write(frame, [one])
    assert text.split("\r\n") == ["c", "90.50", "7.00", "0.125", '""', ""], "nothing is rounded away"
    assert csv_text.write(frame, [one], padded=False).split("\r\n")[1:3] == ["90.5", "7.0"]
    parsed = csv_text.read(text, [one])
    assert parsed.outside == {"c": 0} and parsed.frame["c"].dropna().tolist() == [90.5, 7.0, 0.125]


def test_rows_in_parts_make_the_same_text(synthesis: Synthesis, monkeypatch: pytest.MonkeyPatch) -> None:
    axes = synthesis.evidence.codebook.axes
    whole = csv_text.write(synthesis.table, axes)
    for cells in (1, 7 * len(axes)):
        monkeypatch.setattr(csv_text, "CELLS_AT_A_TIME", cells)
        some = synthesis.table.head(50)
        assert csv_text.write(some, axes) == "".join(whole.splitlines(keepends=True)[:51])
        assert csv_text.lines(some.head(0), axes) == ""


def test_tables_of_an_analyst_are_guarded_except_the_own_cells() -> None:
    own = pd.DataFrame({"=a": ["-", None], "n": [-1.5, None]})
    filled = pd.DataFrame({"=a": ["-", "@x"], "n": [-1.5, 2.0], "new": ["+y", "z"]})
    assert of_any(filled, own=own).splitlines() == ["'=a,n,new", "-,-1.5,'+y", "'@x,2.0,z"]
    assert of_any(filled).splitlines()[1] == "'-,-1.5,'+y"
