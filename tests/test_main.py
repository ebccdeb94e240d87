"""The program as a process: exit codes, and what goes where."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import roocode

REPOSITORY = Path(__file__).resolve().parents[1]


def environment(home: Path) -> dict[str, str]:
    """A person's environment with a home of their own and no keys."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(REPOSITORY)}


def run(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """`roocode` with these arguments, in that home."""
    return subprocess.run(
        [sys.executable, "-m", "roocode", *arguments],
        cwd=home,
        env=environment(home) | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_version(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")

    assert (done.returncode, done.stdout, done.stderr) == (0, f"roocode {roocode.__version__}\n", "")


def test_wrong_usage_ends_with_2_and_says_so_on_standard_error(tmp_path: Path) -> None:
    done = run(tmp_path, "--modle", "x")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: No such option '--modle'.")
    assert done.stderr.endswith("see `roocode --help`\n")


def test_a_broken_configuration_ends_with_42_and_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / ".roocode").mkdir()
    (tmp_path / ".roocode/config.yaml").write_text("model: x\nteam: [\n")

    done = run(tmp_path, "config", "show")

    assert (done.returncode, done.stdout) == (42, "")
    assert "~/.roocode/config.yaml:2: not valid YAML" in done.stderr


def test_an_unknown_key_ends_with_42_and_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / ".roocode").mkdir()
    (tmp_path / ".roocode/config.yaml").write_text("\nmodle: x\n")

    done = run(tmp_path, "config", "get", "model")

    assert done.returncode == 42
    assert "~/.roocode/config.yaml:2: unknown key 'modle': did you mean 'model'?" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "keys", "said"),
    [
        (["-p", "hi"], {}, "set ANTHROPIC_API_KEY or OPENAI_API_KEY"),
        (["-p", "hi", "--model", "sonet"], {"OPENAI_API_KEY": "k"}, "unknown model 'sonet'"),
        (["-p", "hi", "--model", "opnai/x"], {"OPENAI_API_KEY": "k"}, "did you mean openai/x?"),
    ],
)
def test_a_model_that_cannot_be_asked_ends_with_42(
    tmp_path: Path, arguments: list[str], keys: dict[str, str], said: str
) -> None:
    done = run(tmp_path, *arguments, **keys)

    assert (done.returncode, done.stdout) == (42, "")
    assert said in done.stderr


def test_a_reader_that_goes_away_is_no_crash(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from roocode.__main__ import main; sys.exit(main())",
            "config",
            "show",
        ],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()

    assert process.wait(60) == 1
    assert said == ""


def test_an_interrupt_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "roocode", "permissions", "check", "--jsonl", "-"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write('{"tool": "Glob", "input": {"pattern": "*"}}\n')
        process.stdin.flush()
        answered = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()

    assert '"allow"' in answered, said
    assert process.returncode == 130
    assert "Traceback" not in said


@pytest.mark.parametrize("arguments", [["chat"], ["start"]])
def test_the_unnamed_commands_are_prompts_when_they_are_typed(arguments: list[str]) -> None:
    from roocode.interaction.cli.main import parse
    from roocode.interaction.cli.requests import ChatRequest

    request = parse(arguments)

    assert isinstance(request, ChatRequest)
    assert request.prompt == arguments[0]
