"""Names that no tool may write, and names that are written only after a question.

Compared as file systems that fold names compare them: case, Unicode form, zero-width characters, trailing
dots and blanks, and NTFS spellings do not hide one (CVE-2014-9390, CVE-2025-59944).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

NEVER = frozenset({".git", "git~1", ".roocode", "roocod~1", ".mcp.json", "mcp~1.jso"})
"""With the short names that NTFS gives them."""

STREAMS = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"})
"""What a shell line may read and write without touching a file."""

READ_BY_ANYBODY = frozenset(
    f"/proc/{name}" for name in ("cpuinfo", "meminfo", "version", "loadavg", "uptime")
) | {"/dev/zero", "/etc/os-release", "/etc/lsb-release", "/etc/debian_version"}
"""Files of the system that a shell line may read without a question."""

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN_RANGES = (("\u180b", "\u180f"), ("\ufe00", "\ufe0f"), ("\U000e0000", "\U000e0fff"))

_OWN_ASKED = frozenset({"skills", "agents", "commands", "templates", "rules", "roocode.md"})

_EDITORS = """
    .vscode .idea .zed .fleet .devcontainer .devcontainer.json .vim .vimrc .exrc .nvimrc .nvim.lua .emacs
    .emacs.d .dir-locals.el .lldbinit .gdbinit
"""
_AGENTS = """
    .claude .cursor .cursorrules .codex .gemini .agents .kiro .windsurf .windsurfrules .clinerules .opencode
    roocode.md agents.md agents.override.md claude.md claude.local.md gemini.md
"""
_HOOKS_AND_PIPELINES = """
    .husky .githooks .pre-commit-config.yaml lefthook.yml .lefthook.yml .circleci .buildkite .gitlab
    .gitlab-ci.yml .travis.yml .drone.yml .cirrus.yml azure-pipelines.yml .azure-pipelines jenkinsfile
    bitbucket-pipelines.yml .woodpecker .woodpecker.yml appveyor.yml .appveyor.yml .semaphore .teamcity
    .tekton .builds .build.yml cloudbuild.yaml buildspec.yml bitrise.yml codemagic.yaml
"""
_PACKAGES_AND_BUILDS = """
    .cargo .yarn .yarnrc .yarnrc.yml .npmrc .pnpmfile.cjs .mvn .m2 .bazelrc .bundle .pypirc .pip .condarc
    .gitmodules .gitconfig .hgrc .mise.toml mise.toml .mise .direnv .terraformrc .gemrc .irbrc .pryrc
    .rprofile .pythonrc .pythonrc.py sitecustomize.py usercustomize.py
"""
_SHELLS_AND_LOGINS = """
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
    .zlogout .kshrc .cshrc .tcshrc .login .inputrc .envrc .tmux.conf .screenrc .xinitrc .xprofile .xsession
    .pam_environment .netrc .curlrc .wgetrc .ssh .gnupg
"""
_ASKED_ANYWHERE = frozenset(
    " ".join((_EDITORS, _AGENTS, _HOOKS_AND_PIPELINES, _PACKAGES_AND_BUILDS, _SHELLS_AND_LOGINS)).split()
)
_ASKED_ENDINGS = (".code-workspace",)

_ASKED_BELOW = {
    ".github": frozenset({"workflows", "actions", "copilot-instructions.md"}),
    ".gitea": frozenset({"workflows", "actions"}),
    ".forgejo": frozenset({"workflows", "actions"}),
    "gradle": frozenset({"wrapper"}),
    ".gradle": frozenset({"init.gradle", "init.d", "gradle.properties"}),
    ".config": frozenset(
        {"fish", "git", "autostart", "systemd", "environment.d", "mise", "nvim", "zed", "pip"}
    ),
    ".local": frozenset({"bin"}),
    "library": frozenset({"launchagents", "launchdaemons"}),
}
"""Directories of which only some entries are run or obeyed later."""


def folded(name: str) -> str:
    """A file name in the form in which names are compared."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
        name = "".join(character for character in name if not is_ignorable(character))
    return name.partition(":")[0].casefold().rstrip(". ")


def is_ignorable(character: str) -> bool:
    """Whether a character shows nothing, so that some file systems ignore it in names.

    Unicode's Default_Ignorable_Code_Point (ext4 and f2fs drop these where they fold names) and the blank of
    Braille, but no mark that is drawn around Arabic or Syriac digits.
    """
    if character.isascii():
        return False
    if unicodedata.category(character) == "Cf":
        return not "\u0600" <= character <= "\u08ff" or character == "\u061c"
    return character in _UNSEEN or any(first <= character <= last for first, last in _UNSEEN_RANGES)


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
        if name in _ASKED_ANYWHERE or name.endswith(_ASKED_ENDINGS):
            return names[index]
        if not _ASKED_BELOW.get(name, frozenset()).isdisjoint(plain[index + 1 : index + 2]):
            return "/".join(names[index : index + 2])
        if name == ".roocode" and _is_own_asked(plain[index + 1 :]):
            return "/".join(names[index : index + 2])
    return ""


def _is_own_asked(below: Sequence[str]) -> bool:
    if not below:
        return False
    if below[0] == "teams":
        return len(below) == 2 and below[1].endswith((".yaml", ".yml"))
    return below[0] in _OWN_ASKED
