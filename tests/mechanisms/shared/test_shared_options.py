"""Options that several mechanisms share have the same labels and limits in all of them."""

from collections import defaultdict

from synth.core.options import options_of
from synth.mechanisms import MECHANISMS


def test_options_of_one_name_have_one_label_and_one_part_and_their_defaults_are_within_limits() -> None:
    labels, parts = defaultdict(set), defaultdict(set)
    for kind in MECHANISMS.values():
        for field in options_of(kind):
            labels[field.name].add(field.metadata["label"])
            parts[field.name].add(field.metadata["part"])
            low, high = field.metadata["low"], field.metadata["high"]
            has_limits = not field.metadata["is_column"] and not isinstance(field.default, bool)
            assert not has_limits or low <= field.default <= high, f"{kind.name}: {field.name}"
    shared = ("capacity_mb", "columns_share", "choosing_share", "alpha")
    assert all(len(labels[name]) == len(parts[name]) == 1 for name in shared)
    assert [parts[name] for name in shared] == [{""}, {"columns"}, {"choosing"}, {"measuring"}]
