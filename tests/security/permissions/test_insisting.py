"""What asks in every mode, and what does not although it looks alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from roocode.protocol.decisions import Mode
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule

ANY: Mode = "bypassPermissions"


@pytest.fixture(scope="module")
def top() -> Iterator[Path]:
    """A project and a home, below no directory for temporary files."""
    with TemporaryDirectory(dir=Path.home()) as made:
        for path in ("proj/.git/hooks", "proj/src", "home", "outside"):
            (Path(made) / path).mkdir(parents=True)
        (Path(made) / "proj/.git/HEAD").write_text("ref: refs/heads/main\n")
        yield Path(made).resolve()


def said(top: Path, line: str, mode: Mode = ANY, *allowed: str) -> str:
    rules = tuple(parse_rule(rule, "allow", "user") for rule in allowed)
    policy = Policy(top / "home", mode, rules, trusted=True)
    return check("Bash", {"command": line}, policy, pinned(Workspace(top / "proj")))["decision"]


@pytest.mark.parametrize(
    "line",
    [
        "echo x > ../outside/y",
        "cp src ~/b",
        "tee /etc/foo",
        "cd .. && touch y",
        "ln -s / r; echo x > r/etc/y",
        "ln -sf ../outside b && cd src && echo x >> ../b/y",
        "ln -s ~/.bashrc b; echo x >> b",
        "rm -rf .",
        "chmod -R 777 .",
        "chown --recursive me .",
        "find . -delete",
        "find . -type f -exec rm {} +",
        "mytool .git/config",
        "python x.py --out=.git/config",
        "perl -pi -e s/a/b/ .git/hooks/pre-commit",
        "make O=.git/hooks",
        "git config core.hooksPath hooks",
        "git config --global alias.x '!sh'",
        "git config --local --add include.path ../x",
        "git config set core.fsmonitor ./x",
        "git config -f other filter.x.clean ./x",
        "git -c core.pager='rm a' log",
        "git -c diff.x.textconv=./x diff",
    ],
)
def test_it_asks_in_every_mode_and_no_rule_lets_it_through(top: Path, line: str) -> None:
    assert said(top, line) == "ask"
    assert said(top, line, "default", "Bash") == "ask"
    assert said(top, line, "dontAsk", "Bash") == "deny"


@pytest.mark.parametrize(
    "line",
    [
        "ln -s .git/hooks h && echo x > h/pre-commit",
        "ln -s .. up; echo x > up/proj/.git/config",
    ],
)
def test_a_link_of_its_own_to_what_is_never_touched_is_denied(top: Path, line: str) -> None:
    assert said(top, line) == "deny"


@pytest.mark.parametrize(
    "line",
    [
        "echo x > src/y",
        "echo x > /tmp/y",
        "ln -s src s; echo x > s/y",
        "rm -rf src",
        "chmod -R 755 src",
        "find . -name '*.pyc' -delete",
        "find src -delete",
        "pytest --ignore=.git",
        "rsync -a --exclude '.git/*' src/ copy/",
        "tool --exclude .git",
        "git config user.email a@b.c",
        "git config --unset core.hooksPath",
        "git config alias.st status",
        "git -c core.pager=cat -c core.fsmonitor=false log --stat",
        "git -c core.hooksPath=/dev/null commit -m x",
        "git add src && git commit -m 'set core.pager x'",
    ],
)
def test_what_only_looks_alike_is_left_to_the_mode(top: Path, line: str) -> None:
    assert said(top, line) == "allow"
