"""RooCode called from its own tool: it may be asked, never told (CLI.md, Configuration)."""

from __future__ import annotations

import re

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import is_interpreter, names
from roocode.security.permissions.shell.values import UNKNOWN, Field, Fields

_READS = (
    "team status", "team list", "team tasks", "team logs", "team blame", "team doctor", "team wait",
    "team merge --preview", "sessions list", "sessions show", "sessions verify", "agents list",
    "agents show", "skills list", "skills show", "teams list", "teams show", "mcp list", "mcp get",
    "hooks list", "hooks show", "plugins list", "plugins show", "permissions check", "permissions list",
    "permissions explain", "config show", "config get", "config path", "doctor", "completion", "trust --list",
)  # fmt: skip
_FETCHERS = names("uvx pipx pipx-run pip-run")
_GLOBAL_VALUES = names("--cwd --model --permission-mode --output-format")


def own_command(call: Call) -> str:
    """Why a call of RooCode is refused, or "" where it only reads."""
    arguments = _own_arguments(call)
    if arguments is None:
        return ""
    return (
        ""
        if reads_only(arguments)
        else "no agent trusts, approves, configures, installs or runs RooCode by Bash"
    )


def reads_only(arguments: Fields) -> bool:
    """Whether these arguments make RooCode show something and change nothing."""
    texts = [field.text for field in arguments]
    if any(UNKNOWN in text or field.guessed for text, field in zip(texts, arguments, strict=True)):
        return False
    if texts == ["--version"] or texts[-1:] in (["--help"], ["-h"]):
        return True
    operands = [field.text for field in parse_options(arguments, _GLOBAL_VALUES).operands]
    options = {text for text in texts if text.startswith("-")}
    for form in _READS:
        wanted = form.split()
        words = [word for word in wanted if not word.startswith("-")]
        flags = {word for word in wanted if word.startswith("-")}
        if operands[: len(words)] == words and flags <= options:
            return not options & names("--repair --fix --yes --force --add --remove --set --watch --revoke")
    return False


def _own_arguments(call: Call) -> Fields | None:
    if call.name == "roocode":
        return call.arguments
    if call.name in _FETCHERS:
        named = (at for at, field in enumerate(call.arguments) if _is_package(field))
        at = next(named, None)
        return None if at is None else call.arguments[at + 1 :]
    if not is_interpreter(call.name) or not call.name.startswith(("python", "pypy")):
        return None
    parsed = parse_options(call.arguments, names("-m -c -W -X"), leading=True)
    module = [value.text for value in parsed.values("-m")]
    if module and module[0].partition(".")[0] == "roocode":
        return _behind_module(call.arguments, module[0])
    script = parsed.operands[:1]
    if script and not module and not parsed.values("-c") and _is_own_script(script[0]):
        return tuple(parsed.operands[1:])
    return None


def _is_package(field: Field) -> bool:
    """`roocode`, `roocode==1.0`, `roocode[x]`, `roocode@latest` as a package to run."""
    return re.split(r"[=<>~!@\[;]", field.text)[0] == "roocode"


def _is_own_script(field: Field) -> bool:
    parts = field.text.split("/")
    return parts[-1] == "roocode" or parts[-2:] in (["roocode", "__main__.py"], ["roocode", ""])


def _behind_module(arguments: Fields, module: str) -> Fields:
    at = next(index for index, field in enumerate(arguments) if field.text.endswith(module))
    return arguments[at + 1 :]
