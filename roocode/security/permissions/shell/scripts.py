"""Programs that run shell text: `sh -c`, `eval`, `. file`, `trap`, `crontab -`, and options of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from roocode.security.permissions.shell.calls import Call, Code, Opened, Program
from roocode.security.permissions.shell.evaluated import connected, subscripts
from roocode.security.permissions.shell.options import Parsed, parse_options
from roocode.security.permissions.shell.programs import is_shell, names
from roocode.security.permissions.shell.values import ANYTHING, EMPTY, Field, Fields, Value
from roocode.security.permissions.shell.wrappers import as_line

_OWN_INPUT = names("- /dev/stdin /dev/fd/0 /proc/self/fd/0")

_SHELL_OPTIONS: Mapping[str, frozenset[str]] = {
    "su": names("-c --command --session-command"),
    "runuser": names("-c --command --session-command"),
    "script": names("-c --command"),
    "flock": names("-c --command"),
    "npx": names("-c --call"),
    "sg": names("-c"),
    "npm": names("-c --call"),
    "nix-shell": names("--run --command"),
}
"""Options whose value is a line of shell."""

_TEXT_OPTIONS: Mapping[str, frozenset[str]] = {
    "nix": names("-c --command"),
    "tar": names("--to-command --rsh-command -I --use-compress-program --checkpoint-action --info-script -F"),
    "rsync": names("-e --rsh --rsync-path"),
    "man": names("-P --pager -H --html"),
    "sort": names("--compress-program"),
    "rg": names("--pre --hostname-bin"),
    "split": names("--filter"),
    "less": names("-K"),
    "make": names("--eval"),
    "gmake": names("--eval"),
    "expect": names("-c"),
    "logrotate": frozenset(),
    "vim": names("-c --cmd"),
    "vi": names("-c --cmd"),
    "nvim": names("-c --cmd"),
    "ex": names("-c --cmd"),
    "emacs": names("--eval"),
    "sqlite3": names("-cmd --cmd"),
    "entr": names("-s"),
    "nodemon": names("-x --exec"),
    "watchexec": names("--shell"),
    "parallel": names("--tempdir"),
    "zip": names("--unzip-command"),
}
"""Options whose value is run by a shell, or names a program, among other things."""

_SPELLED_OUT: Mapping[str, frozenset[str]] = {"zip": names("-TT"), "gdb": names("-ex -iex")}
"""The same, spelled with one dash and more than one letter."""

_TEXT_OPERANDS = names("watch hyperfine watchexec entr parallel at batch")
"""Programs whose operands are joined to one line of shell, or are one each."""

_CONSOLES = names(
    "sqlite3 expect ed ex gdb vim vi nvim view less more ftp sftp psql mysql telnet mail bc ipython irb"
)
_PAGERS = names("less more view")
"""Consoles that take commands from the keyboard only: what they are piped is shown."""

_ESCAPES = (
    ":!",
    "\\!",
    "!",
    ".shell ",
    ".system ",
    "shell ",
    "system ",
    "spawn ",
    "exec ",
    ":silent !",
    ":r !",
)

_TERMINAL_WORDS = names(
    "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw "
    "run-shell run if-shell if pipe-pane pipep send-keys send display-popup popup confirm-before confirm"
)


def opened_script(call: Call, read: Callable[[Fields], Value]) -> list[Opened]:
    """The shell text that a call runs; empty where it runs none. `read(paths)` says what may be in files."""
    name = call.name
    if is_shell(name):
        return _shell(call)
    found = _from_options(call)
    match name:
        case "ssh":
            found.extend(connected(call))
        case "sg":
            found.extend(Code((field,), "sg") for field in call.arguments[1:2])
        case "eval":
            arguments = call.arguments[1:] if call.texts[:1] == ["--"] else call.arguments
            found.append(Code((as_line(arguments),), "eval", here=True))
        case "source" | ".":
            found.extend(_sourced(call))
        case "trap":
            found.extend(Code((field,), "trap") for field in parse_options(call.arguments).operands[:1])
        case "alias":
            found.extend(_aliases(call))
        case "let" | "declare" | "typeset" | "local" | "unset" | "read" | "printf" | "test" | "[":
            found.extend(subscripts(call))
        case "crontab":
            found.append(_crontab(call, read))
        case "at" | "batch" | "parallel":
            found.append(Code(call.stdin, name))
        case _ if name in _CONSOLES:
            found.extend(_console(call))
        case "tmux" | "screen":
            found.extend(_terminal(call))
        case "make" | "gmake":
            found.extend(_makefile(call, read))
        case "sudo" | "doas" | "su":
            found.extend(_login_shell(call))
        case _:
            pass
    if name in _TEXT_OPERANDS:
        found.extend(_operands(call))
    return found


def _shell(call: Call) -> list[Opened]:
    parsed = _shell_options(call.arguments)
    operands = tuple(parsed.operands)
    if parsed.has("-c"):
        name: Value = operands[1:2] or (Field(call.argv[0].text),)
        return [Code(operands[:1] or ANYTHING, f"{call.name} -c", operands[2:], name)]
    if operands and operands[0].text not in _OWN_INPUT and not parsed.has("-s"):
        return [Code(operands[:1], call.name, operands[1:], operands[:1], file=True)]
    if parsed.has("--version", "--help"):
        return []
    return [Code(call.stdin, f"{call.name} <", operands, (Field(call.argv[0].text),), stdin=EMPTY)]


def _shell_options(arguments: Fields) -> Parsed:
    """Options of a shell; `-c` takes no value in the getopt sense, its text is the first operand."""
    parsed = Parsed()
    pending = list(arguments)
    while pending:
        text = pending[0].text
        if text in ("--", "-"):
            pending.pop(0)
            break
        if text.startswith("--command="):
            parsed.options.append(("-c", None))
            pending[0] = pending[0].with_text(text.removeprefix("--command="))
            break
        if not text.startswith(("-", "+")) or len(text) < 2 or " " in text:
            break
        pending.pop(0)
        if text.startswith("--"):
            parsed.options.append((text.partition("=")[0], None))
            if text in ("--rcfile", "--init-file") and pending:
                pending.pop(0)
            continue
        for letter in text[1:]:
            parsed.options.append(("-" + letter, None))
            if letter in "oO" and pending:
                pending.pop(0)
    parsed.operands = pending
    return parsed


def _from_options(call: Call) -> list[Opened]:
    lines = _SHELL_OPTIONS.get(call.name, frozenset())
    taking = lines | _TEXT_OPTIONS.get(call.name, frozenset())
    found: list[Opened] = []
    for option, value in parse_options(call.arguments, taking).options if taking else []:
        if value and option in taking:
            text = value.with_text(_escaped(value.text.removeprefix("exec=")))
            found.append(Code((text,), f"{call.name} {option}", guess=option not in lines))
    if call.name in _SPELLED_OUT:
        for before, field in pairwise(call.arguments):
            if before.text in _SPELLED_OUT[call.name]:
                found.append(Code((field,), f"{call.name} {before.text}", guess=True))
    return found


def _console(call: Call) -> list[Opened]:
    """Lines given to a program that runs some of them by a shell, on its input and as `+command`."""
    typed = () if call.name in _PAGERS else call.stdin
    lines = [field.with_text("\n".join(map(_escaped, field.text.splitlines()))) for field in typed]
    given = [
        field.with_text(field.text.lstrip("+")) for field in call.arguments if field.text[:1] in "+.!:\\"
    ]
    lines += [field.with_text(_escaped(field.text)) for field in given]
    for option, value in zip(call.texts, call.arguments[1:], strict=False):
        if option in ("-ex", "-c", "--eval-command", "-cmd"):
            lines.append(value.with_text(_escaped(value.text)))
    return [Code((line,), call.name, guess=True) for line in lines]


def _escaped(line: str) -> str:
    """What a console hands to a shell: `!command`, `:!command`, `.shell command` and their like."""
    line = line.strip()
    for escape in _ESCAPES:
        if line.startswith(escape):
            return line[len(escape) :]
    return line


def _sourced(call: Call) -> list[Opened]:
    operands = call.arguments[1:] if call.texts[:1] == ["--"] else call.arguments
    if not operands:
        return []
    if operands[0].text in _OWN_INPUT:
        return [Code(call.stdin, "source", here=True)]
    return [Code(operands[:1], "source", operands[1:], here=True, file=True)]


def _aliases(call: Call) -> list[Opened]:
    found: list[Opened] = []
    for field in call.arguments:
        _, equals, text = field.text.partition("=")
        if equals:
            found.append(Code((field.with_text(text),), "alias"))
    return found


def _crontab(call: Call, read: Callable[[Fields], Value]) -> Opened:
    files = tuple(field for field in parse_options(call.arguments, names("-u")).operands if field.text != "-")
    table = read(files) if files else call.stdin
    return Code(tuple(field.with_text(_scheduled(field.text)) for field in table), "crontab")


def _scheduled(text: str) -> str:
    """The commands of a crontab, without the times in front of them."""
    commands: list[str] = []
    for line in text.splitlines():
        fields = line.split(None, 1 if line.lstrip().startswith("@") else 5)
        times = 1 if line.lstrip().startswith("@") else 5
        commands.append(fields[times] if len(fields) > times else line)
    return "\n".join(commands)


def _terminal(call: Call) -> list[Opened]:
    with_value = names("-L -S -f -s -t -n -c -F -e -x -y -T -w -h -p")
    operands = parse_options(call.arguments, with_value, leading=True).operands
    if call.name == "tmux":
        known = bool(operands) and operands[0].text in _TERMINAL_WORDS
        operands = parse_options(operands[1:], with_value, leading=True).operands if known else []
    found: list[Opened] = [Code((field,), call.name, guess=True) for field in operands if " " in field.text]
    if operands:
        found.append(Program(tuple(operands), call.name, guess=True))
    return found


def _makefile(call: Call, read: Callable[[Fields], Value]) -> list[Opened]:
    """Makefiles that the line itself holds: recipes stand behind a tab or a semicolon."""
    parsed = parse_options(call.arguments, names("-f -C -I -j -l -o -W --file --makefile --directory"))
    found: list[Opened] = []
    for file in parsed.values("-f", "--file", "--makefile"):
        text = call.stdin if file.text in _OWN_INPUT else read((file,))
        recipes = tuple(field.with_text(_recipes(field.text)) for field in text)
        found.append(Code(recipes, "makefile", guess=True))
    shells = [field for field in call.arguments if field.text.startswith(("SHELL=", ".SHELLFLAGS="))]
    found.extend(
        Code((field.with_text(field.text.partition("=")[2]),), "make SHELL", guess=True) for field in shells
    )
    return found


def _recipes(text: str) -> str:
    recipes: list[str] = []
    for line in text.splitlines():
        recipe = line if line.startswith("\t") or ";" not in line else line.partition(";")[2]
        recipes.append(recipe.strip().lstrip("@-+"))
    return "\n".join(recipes) if recipes else text


def _login_shell(call: Call) -> list[Opened]:
    operands = parse_options(call.arguments, names("-c -s -w -g -G -u --command")).operands
    only_user = call.name == "su" and not parse_options(call.arguments).has("-c", "--command")
    return [Code(call.stdin, call.name)] if only_user and len(operands) < 3 else []


def _operands(call: Call) -> list[Opened]:
    operands = tuple(
        parse_options(call.arguments, names("-n -d -q -j -P -N -I -a -w -r -e -t"), leading=True).operands
    )
    if not operands or call.name in ("at", "batch"):
        return []
    lines: list[Opened] = [Code((as_line(operands),), call.name)]
    if call.name in ("hyperfine", "parallel"):
        lines.extend(Code((field,), call.name, guess=True) for field in operands)
    return lines
