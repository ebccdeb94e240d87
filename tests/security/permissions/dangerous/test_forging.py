"""No command types as the person: RooCode's own windows are refused, other windows ask in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.protocol.decisions import MODES
from roocode.protocol.tools import Touches, Workspace
from roocode.security.permissions.decide import decide
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.rules import parse_rule
from tests.security.bash_cases import judged


@pytest.mark.parametrize(
    "line",
    [
        "tmux -L roocode send-keys -t %1 y Enter", "tmux -Lroocode kill-server",
        "tmux -S /tmp/tmux-1000/roocode send y", "tmux -L roocode ls \\; send-keys y",
        "tmux -L roocode respawn-pane -k bash", "timeout 5 tmux -L roocode kill-session -t x",
        "echo y > /dev/pts/3", "echo y | tee /dev/pts/3", "printf y >/dev/tty1", "printf y >> /proc/12/fd/0",
        "dd if=a of=/proc/12/mem", "pkill roocode", "pkill -f 'roocode teammate'", "killall roocode",
        "kill $PPID", "kill -9 ${PPID}",
        "python3 -c 'import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, \"y\")'",
        "perl -e 'ioctl(STDIN, 0x5412, \"y\")'", "cat ~/.roocode/team-keys/a.json", "ls ~/.roocode/team-keys",
        "strings /run/user/1000/roocode/hs-12/a.json", "cp -r ~/.roocode/team-keys .",
        "cat /proc/$PPID/environ", "tr '\\0' '\\n' < /proc/12/environ", "xxd /proc/12/mem", "ls /proc/12/fd",
    ],
)  # fmt: skip
def test_refused(line: str) -> None:
    assert judged(line).level == "blocked"


DRIVING = (
    "tmux send-keys -t 0 y Enter", "tmux send -t 0 y", "tmux send-k y", "tmux paste-buffer",
    "tmux kill-server",
    "tmux new -d \\; send-keys y", "tmux -S /tmp/tmux-1000/default send-keys y", "tmux -L $X send-keys y",
    "tmux respawn-pane -k bash", "tmux if-shell true 'send y'", "tmux $X y", "screen -X stuff y",
    "screen -S a -X stuff y", "xdotool key y", "ydotool type y", "wtype y", "kitty @ send-text y",
    "wezterm cli send-text y", "zellij action write-chars y", "gdb -p 12", "strace -p 12", "reptyr 12",
    "gdbus call --session --method org.kde.konsole.Session.sendText y", "env tmux send-keys y",
)  # fmt: skip


@pytest.mark.parametrize("line", DRIVING)
@pytest.mark.parametrize("mode", MODES)
def test_asked_in_every_mode_whatever_is_allowed(line: str, mode: str, tmp_path: Path) -> None:
    rules = tuple(parse_rule(text, "allow", "user") for text in ("Bash", "Bash(tmux *)", "Bash(screen *)"))
    policy = Policy(tmp_path, mode=mode, rules=rules, trusted=True)  # type: ignore[arg-type]
    decision = decide("Bash", {"command": line}, Touches(command=line), policy, Workspace(tmp_path))
    assert decision.verdict == ("deny" if mode == "dontAsk" else "ask")


@pytest.mark.parametrize(
    "line",
    [
        "tmux -L mine send-keys y", "tmux -L mine kill-server", "tmux ls", "tmux -L roocode ls",
        "tmux -L roocode capture-pane -p -t %1", "tmux new-session -d 'npm run dev'", "tmux -V",
        "echo tmux send-keys", "grep -r 'tmux send-keys' .", "git commit -m 'tmux send-keys y'",
        "screen -dmS a npm start", "gdb ./a.out", "strace ls", "xdotool getmouselocation",
        "echo x > /dev/null", "echo x >/proc/self/fd/2", "pkill -f vite", "kill 123", "python -c 'print(1)'",
        "cat docs/roocode.md", "cat /proc/cpuinfo", "ls /proc/self/fd", "cat docs/team-keys.md",
    ],
)  # fmt: skip
def test_as_any_command(line: str) -> None:
    answer = judged(line)
    assert answer.level != "blocked"
    assert answer.insists == ""
