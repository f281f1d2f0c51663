from dataclasses import dataclass

import pytest

from synth.core.errors import Mistake
from synth.core.options import check_values, option, options_of


@dataclass(frozen=True, kw_only=True)
class Engine:
    depth: int = option(3, label="Depth", help="How deep.", low=1, high=9, unit="layers")
    rate: float = option(0.5, label="Rate", help="How fast.", low=0, high=1)
    word: str = option("a", label="Word", help="What it is called.")
    hidden: int = 7


def test_only_fields_with_words_are_options() -> None:
    assert [f.name for f in options_of(Engine)] == ["depth", "rate", "word"]
    assert options_of(Engine)[0].metadata["unit"] == "layers" and Engine().depth == 3
    for configured in (Engine(), Engine(rate=1, hidden=-1), Engine(depth=9, word="")):
        check_values(configured)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"depth": 0}, r"Depth \(depth\) is 0. Allowed: 1 to 9"),
        ({"rate": float("nan")}, "Rate .* is nan"),
        ({"depth": 2.0}, "must be a whole number"),
        ({"depth": True}, "must be a whole number"),
        ({"rate": "x"}, "must be a number"),
        ({"word": 3}, "must be text"),
    ],
)
def test_values_beyond_their_limits_are_named(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(Mistake, match=sentence):
        check_values(Engine(**values))  # type: ignore[arg-type]
