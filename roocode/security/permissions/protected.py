"""Names that no tool may write, and names that are written only after a question.

Compared as file systems that fold names compare them: case, Unicode form, zero-width characters, trailing
dots and blanks, and NTFS spellings do not hide one (CVE-2014-9390, CVE-2025-59944).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

NEVER = frozenset({".git", "git~1", ".roocode", ".mcp.json"})

STREAMS = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"})
"""What a shell line may read and write without touching a file."""

READ_BY_ANYBODY = frozenset(
    f"/proc/{name}" for name in ("cpuinfo", "meminfo", "version", "loadavg", "uptime")
) | {"/dev/zero", "/etc/os-release", "/etc/lsb-release", "/etc/debian_version"}
"""Files of the system that a shell line may read without a question."""

_OWN_ASKED = frozenset({"skills", "agents", "commands", "templates", "rules", "roocode.md"})

_EDITORS_AND_AGENTS = """
    .vscode .idea .zed .fleet .devcontainer .devcontainer.json .vimrc .exrc .claude .cursor .codex .gemini
"""
_HOOKS_AND_PIPELINES = """
    .husky .githooks .pre-commit-config.yaml lefthook.yml .circleci .buildkite .woodpecker .gitlab
    .gitlab-ci.yml .travis.yml .drone.yml .cirrus.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile
"""
_PACKAGES_AND_BUILDS = ".cargo .yarn .yarnrc .yarnrc.yml .npmrc .mvn .pypirc .gitmodules .gitconfig"
_SHELLS_AND_LOGINS = """
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
    .zlogout .kshrc .cshrc .tcshrc .login .inputrc .envrc .tmux.conf .xinitrc .xprofile .ssh .gnupg
"""
_ASKED_ANYWHERE = frozenset(
    f"{_EDITORS_AND_AGENTS} {_HOOKS_AND_PIPELINES} {_PACKAGES_AND_BUILDS} {_SHELLS_AND_LOGINS}".split()
)

_ASKED_PAIRS = frozenset(
    {
        (".github", "workflows"),
        (".github", "actions"),
        ("gradle", "wrapper"),
        (".config", "fish"),
        (".config", "git"),
        (".config", "autostart"),
        (".config", "systemd"),
    }
)


def folded(name: str) -> str:
    """A file name in the form in which names are compared."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
        name = "".join(character for character in name if unicodedata.category(character) != "Cf")
    return name.partition(":")[0].casefold().rstrip(". ")


def never_written(names: Sequence[str]) -> str:
    """The protected name among the parts of a path, or "": what is only asked below `.roocode` is none."""
    plain = [folded(name) for name in names]
    for index, name in enumerate(plain):
        if name == ".roocode" and _is_own_asked(plain[index + 1 :]):
            continue
        if name in NEVER:
            return names[index]
    return ""


def written_after_a_question(names: Sequence[str]) -> str:
    """The name among the parts of a path through which a file would be run or obeyed later, or ""."""
    plain = [folded(name) for name in names]
    for index, name in enumerate(plain):
        if name in _ASKED_ANYWHERE or (name, *plain[index + 1 : index + 2]) in _ASKED_PAIRS:
            return names[index]
        if name == ".roocode" and _is_own_asked(plain[index + 1 :]):
            return "/".join(names[index : index + 2])
    return ""


def _is_own_asked(below: Sequence[str]) -> bool:
    if not below:
        return False
    if below[0] == "teams":
        return len(below) == 2 and below[1].endswith((".yaml", ".yml"))
    return below[0] in _OWN_ASKED
