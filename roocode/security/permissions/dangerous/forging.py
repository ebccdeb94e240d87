"""Acting as the person: typing into a terminal, at RooCode's own windows and processes.

RooCode's own windows are refused, and so are its keys and the memory of other processes. What drives another
window, which may be the one in which RooCode asks, asks in every mode; a tmux server of the agent's own
(`tmux -L NAME`) does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roocode.security.permissions.effects.spec import Effect
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import UNKNOWN, Fields

_TERMINAL = re.compile(
    r"/dev/(pts/.*|tty\d+|ttyS\d+|console|vcs.*)|/proc/(?!self/|thread-self/)[^/]+/(fd/.*|mem)"
)
_OF_ANOTHER = re.compile(r"/proc/(?!self/|thread-self/)[^/]+/(task/[^/]+/)?(environ|mem|fd(/.*)?)")
_KEYS = re.compile(r"(^|/)(team-keys|mcp-logins)(/|$)|/roocode(-\d+)?/hs-")
_TYPES = re.compile(r"TIOCSTI|0x5412|\b21522\b")
_TMUX_VALUES = names("-L -S -f -c -T")
_SHOWS = (
    "ls list-sessions list-panes lsp list-windows lsw list-clients lsc list-buffers lsb list-commands lscm "
    "list-keys lsk capture-pane capturep display-message display has-session has show-options show "
    "show-environment showenv show-messages showmsgs info server-info"
)
_READING = names(_SHOWS)
_DRIVING = names(
    "send-keys send send-prefix paste-buffer pasteb run-shell run if-shell if pipe-pane pipep respawn-pane "
    "respawnp respawn-window respawnw source-file source bind-key bind set-hook set-option set "
    "command-prompt confirm-before confirm display-popup popup display-menu menu choose-tree kill-server "
    "kill-session kill-pane killp kill-window killw switch-client switchc attach-session attach"
)
_WRITERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("screen", re.compile(r"(^| )-[A-Za-z]*X( |$)")),
    ("byobu", re.compile(r"send|(^| )-X")),
    ("xdotool", re.compile(r"\b(key|keydown|type|click|mousedown)\b")),
    ("ydotool", re.compile(r"\b(key|type|click)\b")),
    ("dotool", re.compile(r"")),
    ("wtype", re.compile(r"")),
    ("kitty", re.compile(r"(^| )@ .*\b(send-text|send-key|launch|remote-control-script)\b")),
    ("kitten", re.compile(r"(^| )@ .*\b(send-text|send-key|launch)\b")),
    ("wezterm", re.compile(r"\bcli\b.*\bsend-text\b")),
    ("zellij", re.compile(r"\b(action|ac)\b.*\b(write|write-chars|paste)\b")),
    ("it2", re.compile(r"\bsend")),
    ("osascript", re.compile(r"keystroke|key code|do script|write text", re.IGNORECASE)),
    ("dbus-send", re.compile(r"sendtext|runcommand|notifykeyboard|remotedesktop", re.IGNORECASE)),
    ("gdbus", re.compile(r"sendtext|runcommand|notifykeyboard|remotedesktop", re.IGNORECASE)),
    ("busctl", re.compile(r"sendtext|runcommand|notifykeyboard|remotedesktop", re.IGNORECASE)),
    ("qdbus", re.compile(r"sendtext|runcommand|notifykeyboard|remotedesktop", re.IGNORECASE)),
    ("gdb", re.compile(r"(^| )(-p|--pid|attach)\b")),
    ("lldb", re.compile(r"(^| )(-p|--attach-pid|-n|--attach-name|attach)\b")),
    ("strace", re.compile(r"(^| )(-[A-Za-z]*p|--attach)\b")),
    ("ltrace", re.compile(r"(^| )-[A-Za-z]*p\b")),
    ("reptyr", re.compile(r"")),
)


def forged(call: Call, effect: Effect) -> str:
    """Why a call is refused as acting on RooCode's own windows or as a person at a terminal, or ""."""
    written = [*(target.path for target in call.targets if target.writes), *effect.writes]
    if any(_TERMINAL.fullmatch(field.text) for field in written):
        return "writes to a terminal or into another process, where a person types"
    read = [*(target.path for target in call.targets if not target.writes), *effect.reads]
    if any(_KEYS.search(field.text) for field in (*read, *written, *call.arguments)):
        return "names the keys with which a lead signs answers"
    if any(_OF_ANOTHER.fullmatch(field.text) for field in read):
        return "reads the memory, environment or terminal of another process"
    if any(_TYPES.search(code.text) for code in call.code):
        return "the code types into a terminal"
    if call.name in ("pkill", "killall", "skill") and any("roocode" in text.lower() for text in call.texts):
        return "ends processes of RooCode itself"
    if call.name == "kill" and any("PPID" in word for word in call.spelled):
        return "ends RooCode itself, which started this shell"
    if call.name == "tmux":
        socket, commands = _tmux(call.arguments)
        if "roocode" in socket and any(words[:1] and words[0] not in _READING for words in commands):
            return "drives the windows of RooCode's own teammates"
    return ""


def drives(call: Call) -> str:
    """Why a call asks in every mode, since it acts in windows or processes that may be RooCode's; or ""."""
    if call.guess:
        return ""
    if call.name == "tmux":
        return _drives_tmux(call.arguments)
    line = " ".join(call.texts)
    if any(call.name == program and pattern.search(line) for program, pattern in _WRITERS):
        return (
            f"{call.name} acts in other windows or processes, in which RooCode may be waiting for an answer"
        )
    return ""


def _drives_tmux(arguments: Fields) -> str:
    socket, commands = _tmux(arguments)
    own = bool(socket) and UNKNOWN not in socket and socket != "default"
    if own or not any(_is_driving(words) for words in commands):
        return ""
    return (
        "tmux may type into the window in which RooCode asks: a server of its own (tmux -L NAME) does not ask"
    )


def _tmux(arguments: Fields) -> tuple[str, list[list[str]]]:
    """The name of the socket, "" for the person's own, and the commands that `;` separates."""
    parsed = parse_options(arguments, _TMUX_VALUES, leading=True)
    named = [field.text.rpartition("/")[2] for field in parsed.values("-L", "-S")]
    return named[-1] if named else "", list(_commands([field.text for field in parsed.operands]))


def _commands(words: Sequence[str]) -> Iterator[list[str]]:
    command: list[str] = []
    for word in words:
        ends = word.endswith(";") and not word.endswith("\\;;")
        bare = word.removesuffix(";").removesuffix("\\") if ends else word
        command += [bare] if bare else []
        if ends:
            yield command
            command = []
    yield command


def _is_driving(words: Sequence[str]) -> bool:
    """Whether a command of tmux types, runs or ends something; an abbreviation counts as what it may mean."""
    if not words or words[0] in _READING:
        return False
    return UNKNOWN in words[0] or any(known.startswith(words[0]) for known in _DRIVING)
