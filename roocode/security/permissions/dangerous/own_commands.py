"""RooCode called from its own tool: it may be asked, never told (CLI.md, Configuration)."""

from __future__ import annotations

import re

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import is_interpreter, names
from roocode.security.permissions.shell.values import UNKNOWN, Field, Fields

REFUSED = "no agent trusts, approves, configures, installs or runs RooCode by Bash"

_FORMS = (
    "team status", "team list", "team tasks", "team logs", "team blame", "team doctor", "team wait",
    "team merge --preview", "sessions list", "sessions show", "sessions export", "sessions verify",
    "agents list", "agents show", "skills list", "skills show", "commands list", "commands show",
    "teams list", "teams show", "mcp list", "mcp get", "mcp show", "hooks list", "hooks show",
    "plugins list", "plugins show", "plugins marketplace list", "permissions check", "permissions list",
    "permissions explain", "config show", "config get", "config path", "doctor", "completion", "trust --list",
)  # fmt: skip
READS: tuple[tuple[tuple[str, ...], frozenset[str]], ...] = tuple(
    (
        tuple(word for word in form.split() if not word.startswith("-")),
        frozenset(word for word in form.split() if word.startswith("-")),
    )
    for form in _FORMS
)
"""Subcommands that only show something, each with the flags without which it does more."""

_HARMLESS = names("--json --available --list --preview --project --local --verbose -v")
_HARMLESS_VALUES = names(
    "--cwd --team --lines --format --tool --input --jsonl --permission-mode --model --allowed-tools "
    "--allowedTools --disallowed-tools --disallowedTools --add-dir"
)
_MODULE_RUNNERS = names("coverage kernprof scalene viztracer pyinstrument py-spy debugpy memray mprof")
_PACKAGE_RUNNERS = names("uvx pipx uv hatch pixi micromamba nix nix-shell bunx npx")
_PACKAGE_VALUES = names(
    "--from --with --with-editable --with-requirements --python -p --spec --pip-args --index-url --index "
    "--package --directory --project --env-file -c --call -e -n --environment"
)
_COPIES = names("cp mv ln install link rsync")
_ENTRY = re.compile(
    r"roocode\s*\.\s*(app|__main__|interaction)|from\s+roocode\s+import\s+[^;\n]*\b(app|__main__|interaction)\b|"
    r"(run_module|run_path|import_module|__import__|find_spec)\s*\(\s*['\"][^'\"]*roocode"
)


def own_command(call: Call) -> str:
    """Why a call of RooCode is refused, or "" where it only reads."""
    if call.name.startswith(("python", "pypy")) and any(_ENTRY.search(code.text) for code in call.code):
        return REFUSED
    if call.name in _COPIES and any(map(_is_program, call.texts)):
        return "no agent copies or links the program of RooCode to run it by another name"
    arguments = _own_arguments(call)
    return "" if arguments is None or reads_only(arguments) else REFUSED


def reads_only(arguments: Fields) -> bool:
    """Whether these arguments make RooCode show something and change nothing.

    The subcommand stands first: before it, an option would make its name a prompt.
    """
    texts = [field.text for field in arguments]
    if any(UNKNOWN in text or field.guessed for text, field in zip(texts, arguments, strict=True)):
        return False
    if texts == ["--version"]:
        return True
    if texts[-1:] in (["--help"], ["-h"]):
        return not any(text.startswith("-") for text in texts[:-1])
    for words, needed in READS:
        if tuple(texts[: len(words)]) == words:
            parsed = parse_options(arguments[len(words) :], _HARMLESS_VALUES)
            given = {name for name, _ in parsed.options}
            return needed <= given <= _HARMLESS | _HARMLESS_VALUES and not parsed.ended
    return False


def _own_arguments(call: Call) -> Fields | None:
    """What is behind RooCode's name where this call runs it, None where it does not."""
    if call.name == "roocode":
        return call.arguments
    if call.name in _PACKAGE_RUNNERS:
        return _behind_package(call.arguments)
    if call.name == "socat" and any(re.search(r"(EXEC|SYSTEM):.*\broocode\b", text) for text in call.texts):
        return ()
    is_python = is_interpreter(call.name) and call.name.startswith(("python", "pypy"))
    if not is_python and call.name not in _MODULE_RUNNERS:
        return None
    if (behind := _behind_module(call.arguments)) is not None:
        return behind
    parsed = parse_options(call.arguments, names("-m -c -W -X"), leading=True)
    script = parsed.operands[:1]
    if script and not parsed.has("-m", "-c") and _is_own_script(script[0]):
        return tuple(parsed.operands[1:])
    return None


def _behind_package(arguments: Fields) -> Fields | None:
    """What is behind the program's name in `uvx roocode trust` and `pipx run roocode@1.2 trust`."""
    operands = arguments
    while True:
        operands = tuple(parse_options(operands, _PACKAGE_VALUES, leading=True).operands)
        if not operands or operands[0].text not in ("run", "tool", "x", "exec"):
            break
        operands = operands[1:]
    named = operands and re.fullmatch(r"roocode([@=<>~!\[].*)?", operands[0].text)
    return operands[1:] if named else None


def _behind_module(arguments: Fields) -> Fields | None:
    """What is behind `-m roocode`, also where another module is told to run it (`-m cProfile -m roocode`)."""
    texts = [field.text for field in arguments]
    for at, text in enumerate(texts):
        before = texts[at - 1] if at else ""
        attached = re.fullmatch(r"-[A-Za-z]*m(roocode(\..*)?)", text)
        is_module = text.partition(".")[0] == "roocode" and "/" not in text
        if attached or (is_module and (re.fullmatch(r"-[A-Za-z]*m|--module", before) or before == "runpy")):
            return arguments[at + 1 :]
    return None


def _is_own_script(field: Field) -> bool:
    parts = field.text.split("/")
    return parts[-1] == "roocode" or parts[-2:] in (["roocode", "__main__.py"], ["roocode", ""])


def _is_program(text: str) -> bool:
    return text.endswith("bin/roocode")
