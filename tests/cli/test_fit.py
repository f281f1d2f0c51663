import pytest

from synth.cli.fit import Band, fit
from synth.schema_io import load_schema


@pytest.mark.parametrize(
    ("strange", "band"), [(1, Band.FEW), (2, Band.SOME), (10, Band.SOME), (11, Band.MANY)]
)
def test_a_share_is_told_as_a_band(tmp_path, strange, band):
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "x\n" * (100 - strange) + "?\n" * strange)
    schema = load_schema(
        {
            "name": "s",
            "population": "p",
            "unit": {"max_rows": 1},
            "columns": [{"name": "a", "kind": "category", "values": ["x", "y"]}],
        }
    )
    assert list(fit(schema, path)) == [("a", band)]
