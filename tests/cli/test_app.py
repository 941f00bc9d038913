"""The command line answers at once, tells errors in a sentence, and takes a TOML file."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from whybox.cli import main
from whybox.config import CONFIGS

HEAVY = ("nltk", "shap", "gensim", "matplotlib", "sklearn", "numba", "dask", "pandas", "pyarrow")


def _run(*arguments: str) -> int:
    """Run the command line in this process; its exit code."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    return int(caught.value.code or 0)


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from whybox.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(' '.join(heavy) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "whybox demo --out demo" in done.stdout


@pytest.mark.parametrize("verb", CONFIGS)
def test_each_verb_has_help_with_an_example(verb, capsys):
    assert _run(verb, "--help") == 0
    assert f"Example: whybox {verb}" in capsys.readouterr().out


def test_a_missing_option_is_told_with_code_2(capsys):
    assert _run("train") == 2
    assert "not given: FEATURES, --out" in capsys.readouterr().err


def test_an_error_is_also_told_to_machines(tmp_path, capsys):
    missing = str(tmp_path / "none.csv")
    assert _run("train", missing, "--out", str(tmp_path / "m.whybox"), "--json") == 2
    captured = capsys.readouterr()
    told = json.loads(captured.out)["error"]
    assert told["where"] == missing
    assert told["exit_code"] == 2
    assert "Traceback" not in captured.err


def test_debug_shows_the_traceback(tmp_path, capsys):
    assert _run("inspect", str(tmp_path / "none"), "--debug") == 2
    assert "Traceback" in capsys.readouterr().err


def test_flags_win_over_the_file(tmp_path, capsys):
    config = tmp_path / "run.toml"
    config.write_text("seed = 3\n[synth]\nusers = 7\nposts_per_user = 8\nunlabelled_share = 0.0\n")
    out = tmp_path / "set"
    assert _run("synth", str(out), "--config", str(config), "--users", "5", "--json") == 0
    assert json.loads(capsys.readouterr().out)["users"] == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[train]\ntargett = 'a'\n", "did you mean 'target'?"),
        ("[trian]\n", "did you mean 'train'?"),
        ("schedule = 'sync'\n", "did you mean 'scheduler'?"),
        ("seed = \n", "not a TOML file"),
    ],
)
def test_a_wrong_file_is_refused_with_a_hint(tmp_path, capsys, text, message):
    config = tmp_path / "run.toml"
    config.write_text(text)
    assert _run("train", "x", "--out", "y", "--config", str(config)) == 2
    assert message in capsys.readouterr().err


def test_a_value_of_the_wrong_type_in_the_file_is_refused(tmp_path, capsys):
    config = tmp_path / "run.toml"
    config.write_text("[train]\nn_estimators = 'many'\n")
    assert _run("train", "x", "--out", "y", "--config", str(config)) == 2
    assert "Expected `int`, got `str`" in capsys.readouterr().err
