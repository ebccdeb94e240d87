"""RooCode called from its own tool: it may be asked, never told."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from roocode.interaction.cli.group import Group
from roocode.interaction.cli.main import root
from tests.security.bash_cases import judged

SHOWS = frozenset(
    {
        "team status", "team list", "team tasks", "team logs", "sessions list", "sessions show",
        "sessions export", "sessions verify", "permissions check", "permissions list", "permissions explain",
        "config show", "config get", "config path", "agents list", "agents show", "skills list",
        "skills show", "teams list", "teams show", "plugins list", "plugins show", "plugins marketplace list",
        "doctor", "completion", "mcp list", "mcp get", "mcp show", "hooks list", "hooks show",
        "commands list", "commands show",
    }
)  # fmt: skip
ACTS = frozenset(
    {
        "chat", "team start", "team attach", "team message", "team resume", "team stop", "team merge",
        "team approve", "team deny", "team cleanup", "demo", "trust", "config set", "teammate",
        "provider test", "plugins install", "plugins remove", "plugins marketplace add",
        "plugins marketplace remove", "mcp add", "mcp remove", "mcp test", "mcp-probe", "mcp list --check",
        "hooks test", "skills new",
    }
)  # fmt: skip


def subcommands(command: click.Command, *path: str) -> Iterator[str]:
    """The names of all commands of the command line, hidden ones and defaults too."""
    if not isinstance(command, Group):
        yield " ".join(path)
        return
    context = click.Context(command)
    for name in (*command.lazy, *command.commands):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from subcommands(inner, *path, name)


def test_every_subcommand_is_known_to_show_or_to_act() -> None:
    """A new one is refused to agents until it stands here, and in the guard's list if it only shows."""
    assert set(subcommands(root)) == SHOWS | {name for name in ACTS if "--" not in name}


@pytest.mark.parametrize("name", sorted(ACTS))
def test_no_subcommand_that_acts_is_let_through(name: str) -> None:
    for line in (f"roocode {name}", f"roocode {name} x", f"python -m roocode {name} --yes --json"):
        assert judged(line).level == "blocked", line


@pytest.mark.parametrize("name", sorted(SHOWS))
def test_every_subcommand_that_shows_may_be_asked(name: str) -> None:
    assert judged(f"roocode {name}").level != "blocked"
    assert judged(f"roocode {name} --repair").level == "blocked"
    assert judged(f"roocode -p {name}").level == "blocked"


@pytest.mark.parametrize(
    "line",
    [
        "roocode", "roocode -p hi", "roocode trust", "roocode trust . --yes", "roocode config set model x",
        "roocode team approve a1", "roocode team deny a1", "roocode team merge",
        "roocode team cleanup --force", "roocode team resume", "roocode mcp add x y",
        "roocode plugins install x", "roocode plugins list --available --yes",
        "roocode plugins marketplace list x; roocode plugins remove y",
        "roocode sessions verify --repair", "roocode trust --revoke .",
        "python -m roocode trust", "python3 -m roocode.app trust", "sudo roocode trust",
        "env A=b roocode trust", "bash -c 'roocode trust'", "uv run roocode trust",
        "/x/.venv/bin/roocode trust", "x=trust; roocode $x", "roocode $X", "echo trust | xargs roocode",
        "python -I -m roocode team approve 1", "./.venv/bin/roocode trust", "uvx roocode trust",
        "uvx roocode@1.0 trust", "uvx --from roocode roocode trust", "pipx run roocode trust --yes",
        "uv tool run roocode trust", "poetry run roocode trust", "find . -exec roocode trust {} \\;",
        "$(which roocode) trust", "`command -v roocode` trust", "bash <<< 'roocode trust'",
        "sh <<E\nroocode trust\nE", "alias r=roocode; r trust", "cp /x/bin/roocode r && ./r trust",
        "ln -s ~/.local/bin/roocode r", "python -mroocode trust", "python -Im roocode trust",
        "python -m runpy roocode trust", "python -m cProfile -m roocode trust",
        "coverage run -m roocode trust", "python -X dev -m roocode.__main__ trust",
        "python -c 'import roocode.app; roocode.app.run(x)'",
        "python -c 'from roocode.__main__ import main; main()'", "python -c 'from roocode import app'",
        "python3 - <<E\nfrom roocode.interaction.config.trust import trust\nE",
        "python -c 'import runpy; runpy.run_module(\"roocode\")'",
        "python -c 'import os; os.system(\"roocode trust\")'", "nohup roocode trust &",
        "script -c 'roocode trust --yes' /dev/null", "tmux new-session -d 'roocode trust --yes'",
        "tmux -L mine run-shell 'roocode trust'", "at now <<< 'roocode trust --yes'",
        "socat - EXEC:'roocode trust',pty", "expect -c 'spawn roocode trust'",
        "roocode trust --yes -- --help", "roocode -p x --model --help", "roocode -p team status",
        "roocode --json team status", "roocode team merge --preview --verify x", "roocode trust --list --yes",
        "roocode sessions list -- --repair", "roocode team logs x --follow",
        "timeout 5 roocode team approve a --session",
        "nohup roocode team deny a &", "find . -exec roocode team approve a ;",
        "setsid roocode team approve a",
        "watch roocode team approve a", "script -c 'roocode team approve a'", "sh <<< 'roocode team deny a'",
        "$(echo roocode) team approve a", "r() { roocode team approve a; }; r",
        "cat <(roocode team approve a)",
        "alias r=roocode; r team approve a", "roocode team status && roocode team approve a --only",
        "env -S 'roocode team approve a'", "python -m roocode.__main__ team approve a",
        "python x/roocode/__main__.py team deny a --reason b", "roocode --cwd /x team approve a",
        "uvx roocode team approve a", "pipx run roocode==1 team approve a",
    ],
)  # fmt: skip
def test_an_agent_never_tells_roocode(line: str) -> None:
    answer = judged(line)

    assert answer.level == "blocked"
    assert "RooCode" in answer.reason


@pytest.mark.parametrize(
    "line",
    [
        "roocode --version", "roocode --help", "roocode team --help", "roocode team status --json",
        "roocode team list", "roocode permissions check --tool Bash", "roocode config show",
        "roocode sessions list", "roocode doctor", "python -m roocode team tasks", "roocode trust --list",
        "cat roocode", "grep roocode trust", "ls roocode/trust", "echo roocode trust",
        "python -m pytest roocode", "roocode team merge --preview", "roocode team logs bob --lines 5",
        "pip install roocode", "uvx ruff check roocode", "python -c 'import roocode; print(roocode)'",
        "uvx --from roocode ruff check", "cp -r roocode backup", "roocode trust --help",
    ],
)  # fmt: skip
def test_an_agent_may_ask_it(line: str) -> None:
    assert judged(line).level != "blocked"
