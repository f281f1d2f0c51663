"""Publishing adds the texts, keeps what the package states, and needs all of them."""

import json

from synth.cli import main
from synth.release.verify import verify
from tests.dates import more_than_the_day

TEXTS = ["--purpose", "Teaching", "--licence", "CC BY 4.0", "--contact", "a@b.org", "--approved-by", "A", "B"]


def test_a_package_is_published_with_its_texts_and_earlier_decisions(bundle, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["publish", str(bundle), *TEXTS, "--decision", "Chose this run.", "--out", str(first)]) == 0
    assert main(["publish", str(first), *TEXTS, "--out", str(second)]) == 0
    assert verify(second).problems == ()
    assert more_than_the_day(bundle) + more_than_the_day(second) == []
    stated = json.loads((second / "privacy/statement.json").read_text())
    assert stated["decisions_after_private_views"] == ["Chose this run."]
    assert stated["imprint"]["approvers"] == ["A", "B"]


def test_without_a_contact_nothing_is_written(bundle, tmp_path, capsys):
    texts = [*TEXTS[:5], " ", *TEXTS[6:]]
    assert main(["publish", str(bundle), *texts, "--out", str(tmp_path / "out")]) == 2
    assert "needs a contact" in capsys.readouterr().err and not (tmp_path / "out").exists()
