"""The environment of child processes: what a person's tools need, without keys and without traps."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping

_SECRET_NAMES = re.compile(
    r"(^|[^A-Z0-9])(KEY|SECRETS|PASSWD|PASSPHRASE|PASS|PWD|PAT|CREDENTIALS?|[A-Z0-9]*(TOKEN|SECRET|PASSWORD|APIKEY))"
    r"($|[^A-Z0-9])"
)
_HARMLESS = re.compile(r"PWD|ROOCODE_HOME|GIT_CONFIG_KEY_\d+")
_PUBLIC = re.compile(r"(^|_)(PUBLIC|PUB)_")
_OURS = re.compile(r"(ANTHROPIC|OPENAI|ROOCODE)_")
_SHELL_TRAPS = re.compile(
    r"BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|CDPATH|GLOBIGNORE|OLDPWD|BASH_FUNC_.*"
)
_GIT_TRAPS = re.compile(
    r"GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|PREFIX|NAMESPACE|CEILING_DIRECTORIES"
    r"|ALTERNATE_OBJECT_DIRECTORIES)"
)
_WINDOWS = re.compile(r"TMUX|TMUX_PANE|STY|KITTY_LISTEN_ON|WEZTERM_UNIX_SOCKET|ZELLIJ(_.*)?")
"""What lets a program type into the person's windows."""
_UNATTENDED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
    "DEBIAN_FRONTEND": "noninteractive",
    "SSH_ASKPASS_REQUIRE": "never",
}


def child_env(
    base: Mapping[str, str], *, agent: str = "main", secrets: Collection[str] = ()
) -> dict[str, str]:
    """What a child of this agent gets of `base`.

    Gone are variables whose name says that they hold a key, those named in `secrets`, our own and our
    providers', those that change what a shell line or a git command means, and those that lead to the
    person's windows. Programs are told not to ask.
    PATH keeps its absolute entries alone. `ROOCODE_AGENT` tells other tools that an agent runs them; nothing
    relies on it.
    """
    kept = {name: value for name, value in base.items() if name not in secrets and _passes(name)}
    if "PATH" in kept:
        kept["PATH"] = _absolute(kept["PATH"])
    return {**kept, **_UNATTENDED, "ROOCODE_AGENT": agent}


def _absolute(path: str) -> str:
    """PATH without what depends on the directory: an empty entry means the directory itself."""
    return os.pathsep.join(filter(os.path.isabs, path.split(os.pathsep))) or os.defpath


def says_secret(name: str) -> bool:
    """Whether a variable's name says that its value is a secret."""
    upper = name.upper()
    return bool(_SECRET_NAMES.search(upper)) and not (_HARMLESS.fullmatch(upper) or _PUBLIC.search(upper))


def _passes(name: str) -> bool:
    upper = name.upper()
    if _HARMLESS.fullmatch(upper):
        return True
    trapped = any(traps.fullmatch(upper) for traps in (_SHELL_TRAPS, _GIT_TRAPS, _WINDOWS))
    return not (trapped or _OURS.match(upper) or _SECRET_NAMES.search(upper))
