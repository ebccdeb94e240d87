"""What may be done to any line of Bash without making the verdict on it milder."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from roocode.security.permissions.shell.reader import read

BEHIND = ("; true", " | cat", "   ", "\t", " # nothing", "\n", "\ntrue", " && true", " 2>/dev/null")
IN_FRONT = (
    "sudo ", "env ", "env A=b ", "timeout 5 ", "nohup ", "nice -n 5 ", "time ", "stdbuf -oL ", "doas ", "  ",
    "true; ", "true && ", "\n",
)  # fmt: skip
AROUND: Mapping[str, Callable[[str], str]] = {
    "bash -c": lambda line: f"bash -c {shlex.quote(line)}",
    "sudo bash -lc": lambda line: f"sudo bash -lc {shlex.quote(line)}",
    "eval": lambda line: f"eval {shlex.quote(line)}",
    "subshell": lambda line: f"(\n{line}\n)",
    "group": lambda line: f"{{\n{line}\n}}",
    "substitution": lambda line: f"echo $(\n{line}\n)",
    "if": lambda line: f"if true; then\n{line}\nfi",
    "for": lambda line: f"for each in a; do\n{line}\ndone",
    "function": lambda line: f"wrapped() {{\n{line}\n}}; wrapped",
    "here-document": lambda line: f"bash <<'END OF LINE'\n{line}\nEND OF LINE",
}
QUOTES: Mapping[str, Callable[[str], str]] = {
    "single": lambda text: "'" + text.replace("'", "'\\''") + "'",
    "double": lambda text: '"' + "".join("\\" + each if each in '$`"\\' else each for each in text) + '"',
    "ansi-c": lambda text: "$'" + "".join(f"\\x{byte:02x}" for byte in text.encode()) + "'",
    "backslash": lambda text: "".join("\\" + each for each in text) or "''",
    "a quote a letter": lambda text: "".join(f"'{each}'" if each != "'" else '"\'"' for each in text) or "''",
}


def requoted(line: str, quote: Callable[[str], str]) -> str:
    """The line with each word in other quotes, but for those whose meaning hangs on having none."""
    reading = read(line)
    words = [
        (part.start, part.end, part.word.literal)
        for group in reading.groups
        for part in group.parts
        if part.word.literal is not None and not set(part.word.source) & set("=*?[]{}~!\n")
    ]
    for start, end, literal in sorted(words, reverse=True):
        line = line[:start] + quote(literal or "") + line[end:]
    return line


def is_plain(line: str) -> bool:
    """Whether a line holds only characters that other quotes can hold."""
    return line.isascii() and line.replace("\n", "").replace("\t", "").isprintable()
