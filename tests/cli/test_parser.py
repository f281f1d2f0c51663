import re
import subprocess
import sys

import pytest

from synth.cli.parser import parse

HEAVY = ("numpy", "pandas", "pyarrow", "opendp", "sklearn", "streamlit", "scipy", "jsonschema", "tqdm")


def test_help_names_every_command_and_exit_code(capsys):
    with pytest.raises(SystemExit) as end:
        parse(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    words = "schema release regenerate judge ask verify evaluate ledger jobs app where bench"
    for word in words.split():
        assert re.search(rf"^ +{word}\b", text, re.MULTILINE)
    for code in range(8):
        assert f"  {code}  " in text
    assert "MARGINALIA_LEDGER" in text


def test_help_brings_nothing_heavy():
    requested = (
        "import sys; from synth.cli.parser import parse\n"
        "try: parse(['release', '--help'])\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", requested], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "typed", [[], ["relaese"], ["release", "--epsilon", "0,5"], ["release", "--eps", "1"]]
)
def test_what_cannot_be_parsed_ends_with_two(typed, capsys):
    with pytest.raises(SystemExit) as end:
        parse(typed)
    assert end.value.code == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("marginalia")
    assert ("'0,5' is not a number. Write a number such as 0.5" in said) == ("0,5" in typed)
