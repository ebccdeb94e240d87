"""Starting is cheap by construction: what a command does not need is not imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}

HEAVY = {
    "anthropic",
    "git",
    "httpx2",
    "libtmux",
    "mcp",
    "openai",
    "prompt_toolkit",
    "pydantic",
    "rich",
    "tree_sitter",
    "watchfiles",
    "yaml",
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A fresh Python, with standard input closed."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=REPOSITORY,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def imported(traced: str) -> set[str]:
    """Top-level names in the output of `-X importtime`."""
    lines = (line for line in traced.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_version_imports_nothing_but_its_own_module() -> None:
    done = run("-X", "importtime", "-m", "roocode", "--version")

    assert done.stdout.startswith("roocode ")
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "roocode" in line}
    assert loaded == {"roocode"}
    assert not imported(done.stderr) & {*HEAVY, "click", "asyncio"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-p", "hello", "--output-format", "json"],
        ["team", "fix it", "-p"],
        ["teammate", "--handshake", "/nowhere"],
        ["--help"],
    ],
)
def test_parsing_a_command_line_imports_nothing_heavy(arguments: list[str]) -> None:
    program = f"import roocode.app\nfrom roocode.interaction.cli.main import parse\nparse({arguments!r})"

    done = run("-X", "importtime", "-c", program)

    assert "click" in imported(done.stderr)
    assert not imported(done.stderr) & HEAVY


def test_settings_without_a_file_need_no_yaml_and_no_pydantic(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\nfrom roocode.interaction.config.load import load_settings\n"
        f"load_settings(Path({str(tmp_path)!r}), {{'HOME': {str(tmp_path)!r}}})"
    )

    done = run("-X", "importtime", "-c", program)

    assert "roocode" in imported(done.stderr)
    assert not imported(done.stderr) & HEAVY


def test_servers_are_found_without_the_protocol(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\nfrom roocode.interaction.config.load import load_settings\n"
        "from roocode.interaction.mcp.found import find_servers, used\n"
        f"env = {{'HOME': {str(tmp_path)!r}}}\n"
        f"settings = load_settings(Path({str(tmp_path)!r}), env)\n"
        'text = \'{"it": {"command": "x"}}\'\n'
        "assert used(find_servers(settings, env, [text]))"
    )

    done = run("-X", "importtime", "-c", program)

    assert "roocode" in imported(done.stderr)
    assert not imported(done.stderr) & {*HEAVY, "mcp_types", "anyio"}
