"""Turning the machine off, and ending everything that runs on it."""

from __future__ import annotations

from collections.abc import Sequence

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names

_POWER = names(
    "shutdown reboot halt poweroff telinit pm-suspend pm-hibernate pm-powersave rtcwake kexec zzz "
    "systemctl-off"
)
_UNITS = names(
    "poweroff reboot halt kexec soft-reboot suspend hibernate hybrid-sleep suspend-then-hibernate sleep "
    "emergency rescue exit"
)
_TARGETS = names(
    "poweroff.target reboot.target halt.target rescue.target emergency.target runlevel0.target "
    "runlevel6.target"
)
_REMOTE = names(
    "PowerOff Reboot Halt Suspend Hibernate HybridSleep org.freedesktop.login1.Manager.PowerOff "
    "org.freedesktop.login1.Manager.Reboot org.freedesktop.login1.Manager.Halt"
)
_HARMLESS = names("--help --version -c -k --show -w --wtmp-only")


def power_state(call: Call) -> str:
    """Why a call is refused for ending the machine or all its processes, or ""."""
    name, texts = call.name, call.texts
    if name in _POWER:
        return "" if texts[:1] and texts[0] in _HARMLESS else f"{name} turns the machine off"
    if name == "init":
        return (
            "init ends or restarts the machine"
            if texts[:1] and texts[0] in ("0", "1", "6", "s", "S", "u")
            else ""
        )
    if name in ("systemctl", "loginctl"):
        return _units(name, texts)
    if name in ("dbus-send", "busctl", "gdbus", "qdbus"):
        hit = any(text.rpartition(".")[2] in _REMOTE or text in _REMOTE for text in texts)
        return f"{name} turns the machine off" if hit else ""
    if name == "osascript":
        return _apple_script(texts)
    if name == "pmset":
        return "pmset puts the machine to sleep" if "sleepnow" in texts else ""
    if name in ("gnome-session-quit", "xfce4-session-logout", "qm"):
        return f"{name} turns the machine off" if {"--power-off", "--reboot", "--halt"} & set(texts) else ""
    if name == "ipmitool":
        return "ipmitool turns a machine off" if {"off", "cycle", "reset", "soft"} & set(texts) else ""
    if name == "fuser":
        return _kill_users(call)
    if name in ("kill", "killall5"):
        return _kill(name, texts)
    if name in ("pkill", "killall", "skill"):
        return _kill_by_name(call)
    return ""


def _kill_users(call: Call) -> str:
    """`fuser -k` on a file system ends all that has a file open there."""
    parsed = parse_options(call.arguments, names("-n -N --namespace"))
    everything = any(field.text in ("/", "/home", "/usr", "/var", "/Users") for field in parsed.operands)
    return "fuser ends all processes" if everything and parsed.has("-k", "--kill") else ""


def _units(name: str, texts: Sequence[str]) -> str:
    words = [text for text in texts if not text.startswith("-")]
    if words[:1] and words[0] in _UNITS:
        return f"{name} {words[0]} ends or stops the machine"
    if name == "loginctl" and words[:1] and words[0].startswith(("terminate-", "kill-")):
        return f"loginctl {words[0]} ends all processes of a user"
    if words[:1] and words[0] in ("isolate", "start") and any(word in _TARGETS for word in words[1:]):
        return f"{name} {words[0]} ends or stops the machine"
    return ""


def _apple_script(texts: Sequence[str]) -> str:
    script = " ".join(" ".join(texts).lower().replace("»", " ").split())
    asks = any(order in script for order in ("to shut down", "to restart", "to sleep", "to log out"))
    return "osascript turns the machine off" if asks else ""


def _kill(name: str, texts: Sequence[str]) -> str:
    """`kill -9 -1` ends everything the person runs; process 1 is init."""
    if name == "killall5":
        return "killall5 ends all processes"
    rest = list(texts)
    if rest[:1] and (rest[0] in ("-s", "-n", "--signal") or rest[0].startswith("--signal")):
        rest = rest[1:] if "=" in rest[0] else rest[2:]
    elif rest[:1] and rest[0].startswith("-") and rest[0] != "--":
        if rest[0] in ("-l", "-L"):
            return ""
        if rest[0] == "-1" and len(rest) == 1:
            return "kill -1 ends all processes"
        rest = rest[1:]
    targets = [text for text in rest if text != "--"]
    if "-1" in targets:
        return "kill -1 ends all processes"
    return "kill ends process 1, which all others hang on" if "1" in targets and "-0" not in texts else ""


def _kill_by_name(call: Call) -> str:
    parsed = parse_options(
        call.arguments, names("-u -U -G -g -P -s -t -c -o -y --user --signal --euid --uid")
    )
    names_user = parsed.has("-u", "-U", "--user", "--euid", "--uid")
    patterns = [field.text for field in parsed.operands]
    if names_user and not patterns:
        return f"{call.name} ends all processes of a user"
    if any(pattern in (".", ".*", "^", "", "*") for pattern in patterns):
        return f"{call.name} ends all processes"
    return f"{call.name} ends process 1" if any(p in ("systemd", "init", "launchd") for p in patterns) else ""
