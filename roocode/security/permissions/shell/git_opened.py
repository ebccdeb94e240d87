"""What `git` runs besides itself: aliases, and options and settings that name a program."""

from __future__ import annotations

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.calls import Call, Code, Opened, Program
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import UNKNOWN, Field, Fields

GLOBAL_VALUES = names(
    "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --exec-path"
)

_RUNNING_SETTINGS = names(
    "core.pager core.editor core.sshcommand core.fsmonitor core.gitproxy core.askpass sequence.editor "
    "diff.external credential.helper gpg.program gpg.ssh.program ssh.command uploadpack.packobjectshook "
    "web.browser"
)
_RUNNING_ENDS = (
    ".cmd", ".command", ".path", ".textconv", ".clean", ".smudge", ".process", ".driver", ".helper",
    ".program", ".external", ".proxy", ".tool", ".pager",
)  # fmt: skip
_RUNNING_OPTIONS = names(
    "-x --exec --upload-pack --receive-pack --extcmd --tree-filter --index-filter --msg-filter --env-filter "
    "--commit-filter --parent-filter --tag-name-filter --setup --open-files-in-pager -O"
)


@frozen
class Git:
    """A call of git taken apart: options before the sub-command, the sub-command, and what follows it."""

    settings: Fields
    directories: Fields
    elsewhere: bool
    others: tuple[str, ...]
    command: str
    arguments: Fields


def parse_git(arguments: Fields) -> Git:
    """Takes a call of git apart; `elsewhere` where another repository or work tree is named."""
    parsed = parse_options(arguments, GLOBAL_VALUES, leading=True)
    given = [name for name, _ in parsed.options]
    known = {"-C", "-c"}
    return Git(
        tuple(parsed.values("-c")),
        tuple(parsed.values("-C")),
        parsed.has("--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"),
        tuple(name for name in given if name not in known),
        parsed.operands[0].text if parsed.operands else "",
        tuple(parsed.operands[1:]),
    )


def opened_by_git(call: Call) -> list[Opened]:
    """The programs and shell lines that a call of git runs; empty for other programs."""
    if call.name != "git":
        return []
    git = parse_git(call.arguments)
    found: list[Opened] = []
    for setting in git.settings:
        name, _, text = setting.text.partition("=")
        found.extend(_from_setting(name.lower(), setting.with_text(text), git))
    for value in parse_options(git.arguments, _RUNNING_OPTIONS).values(*_RUNNING_OPTIONS):
        found.append(Code((value,), f"git {git.command}", guess=True))
    match git.command, git.arguments[:1]:
        case "config", _:
            found.extend(_from_config(git))
        case "bisect", (Field(text="run"),):
            found.append(Program(git.arguments[1:], "git bisect run"))
        case "submodule", (Field(text="foreach"),):
            rest = tuple(field for field in git.arguments[1:] if not field.text.startswith("--"))
            found.extend(Code((field,), "git submodule foreach", guess=True) for field in rest[:1])
            found.append(Program(rest, "git submodule foreach", guess=True))
        case _:
            pass
    return found


def _from_setting(name: str, value: Field, git: Git) -> list[Opened]:
    if name.startswith("alias."):
        if value.text.startswith("!"):
            return [Code((value.with_text(value.text[1:]),), "git alias", git.arguments)]
        words = tuple(Field(word, word) for word in value.text.split())
        used = git.command == name.removeprefix("alias.") or UNKNOWN in git.command
        return [Program((Field("git", "git"), *words, *git.arguments), "git alias")] if used else []
    if name in _RUNNING_SETTINGS or name.endswith(_RUNNING_ENDS):
        return [Code((value.with_text(value.text.removeprefix("!")),), "git -c", guess=True)]
    return []


def _from_config(git: Git) -> list[Opened]:
    operands = [field for field in git.arguments if not field.text.startswith("-")]
    if operands and operands[0].text in ("set", "add"):
        operands = operands[1:]
    if len(operands) < 2:
        return []
    name = operands[0].text.lower()
    if name.startswith("alias.") or name in _RUNNING_SETTINGS or name.endswith(_RUNNING_ENDS):
        text = operands[1].text.removeprefix("!")
        return [Code((operands[1].with_text(text),), "git config", guess=True)]
    return []
