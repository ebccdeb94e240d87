"""Programs that start the program named in their arguments: `sudo`, `env`, `timeout` and their like."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from dataclasses import field

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.calls import Call, Code, Opened, Program
from roocode.security.permissions.shell.cursor import is_name
from roocode.security.permissions.shell.options import behind_options, parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.values import Field, Fields, laid_together

TRANSPARENT = names("time timeout command builtin nice nohup stdbuf")
"""Wrappers that change nothing of what the program does to files."""


@frozen
class _Wrapper:
    """How to find the command: options with a value, operands in front, whether assignments may be."""

    with_value: Collection[str] = field(default_factory=frozenset)
    operands: int = 0
    assignments: bool = False


_PLAIN = _Wrapper()
_SUDO = _Wrapper(
    names(
        "-u -g -h -p -C -D -R -T -U -r -t -c -a --user --group --host --prompt --chdir --chroot --role --type"
    ),
    assignments=True,
)

_WRAPPERS: Mapping[str, _Wrapper] = {
    "sudo": _SUDO,
    "doas": _Wrapper(names("-u -C -a"), assignments=True),
    "sudoedit": _SUDO,
    "pkexec": _Wrapper(names("-u --user")),
    "runuser": _Wrapper(names("-u -g -G --user --group")),
    "setpriv": _Wrapper(names("--reuid --regid --groups --securebits --pdeathsig")),
    "gosu": _Wrapper(operands=1),
    "su-exec": _Wrapper(operands=1),
    "chpst": _Wrapper(names("-u -U -b -e -m -d -o -p -f -c -n -l -L")),
    "env": _Wrapper(names("-u -C --unset --chdir -P"), assignments=True),
    "nohup": _PLAIN,
    "timeout": _Wrapper(names("-s -k --signal --kill-after"), operands=1),
    "gtimeout": _Wrapper(names("-s -k --signal --kill-after"), operands=1),
    "nice": _Wrapper(names("-n --adjustment")),
    "ionice": _Wrapper(names("-c -n -p -P -u --class --classdata")),
    "stdbuf": _Wrapper(names("-i -o -e --input --output --error")),
    "time": _Wrapper(names("-f -o --format --output")),
    "command": _PLAIN,
    "builtin": _PLAIN,
    "exec": _Wrapper(names("-a")),
    "noglob": _PLAIN,
    "coproc": _PLAIN,
    "setsid": _PLAIN,
    "daemonize": _Wrapper(names("-c -e -o -p -l -u -E")),
    "start-stop-daemon": _Wrapper(names("-p -u -c -d")),
    "chroot": _Wrapper(names("--userspec --groups"), operands=1),
    "unshare": _Wrapper(names("-R -w -S -G")),
    "nsenter": _Wrapper(names("-t -S -G --target --setuid --setgid")),
    "strace": _Wrapper(names("-e -o -p -s -S -u -E -P -O -a -b -I -X")),
    "ltrace": _Wrapper(names("-e -o -p -s -u -a -n -l -x")),
    "valgrind": _PLAIN,
    "gdb": _Wrapper(names("-ex -x -p")),
    "perf": _Wrapper(names("-e -o -p -F -c -C -t"), operands=1),
    "flock": _Wrapper(names("-w -E --timeout --wait --conflict-exit-code"), operands=1),
    "systemd-run": _Wrapper(
        names("-p -u -E -M -H -t --unit --property --setenv --slice --uid --gid --on-active")
    ),
    "systemd-inhibit": _Wrapper(names("--what --who --why --mode")),
    "caffeinate": _Wrapper(names("-t -w")),
    "taskset": _Wrapper(operands=1),
    "chrt": _Wrapper(names("-T -P -D"), operands=1),
    "numactl": _Wrapper(names("-N -m -C -i -p")),
    "prlimit": _PLAIN,
    "cgexec": _Wrapper(names("-g")),
    "firejail": _PLAIN,
    "dbus-run-session": _PLAIN,
    "xvfb-run": _Wrapper(names("-e -f -n -p -s -w")),
    "fakeroot": _PLAIN,
    "faketime": _Wrapper(operands=1),
    "proxychains": _Wrapper(names("-f")),
    "proxychains4": _Wrapper(names("-f")),
    "torsocks": _PLAIN,
    "torify": _PLAIN,
    "eatmydata": _PLAIN,
    "unbuffer": _PLAIN,
    "chronic": _PLAIN,
    "ifne": _PLAIN,
    "rlwrap": _PLAIN,
    "setarch": _PLAIN,
    "linux64": _PLAIN,
    "catchsegv": _PLAIN,
    "busybox": _PLAIN,
    "toybox": _PLAIN,
    "entr": _PLAIN,
    "reptyr": _PLAIN,
    "ssh-agent": _Wrapper(names("-t -a -E -O")),
    "dbus-launch": _PLAIN,
    "sshpass": _Wrapper(names("-p -f -d")),
    "xauth": _PLAIN,
    "uv": _Wrapper(names("--with --python -p --directory --project --extra --group"), operands=1),
    "poetry": _Wrapper(names("-C -P"), operands=1),
    "pipenv": _Wrapper(operands=1),
    "pdm": _Wrapper(operands=1),
    "hatch": _Wrapper(operands=1),
    "rye": _Wrapper(operands=1),
    "conda": _Wrapper(names("-n -p --name --prefix"), operands=1),
    "mamba": _Wrapper(names("-n -p --name --prefix"), operands=1),
    "bundle": _Wrapper(operands=1),
    "pnpm": _Wrapper(names("-C --dir --filter -F"), operands=1),
    "yarn": _Wrapper(names("--cwd"), operands=1),
    "direnv": _Wrapper(operands=2),
    "mise": _Wrapper(operands=1),
    "asdf": _Wrapper(operands=2),
    "rbenv": _Wrapper(operands=1),
    "pyenv": _Wrapper(operands=1),
    "nodenv": _Wrapper(operands=1),
    "npx": _Wrapper(names("-p --package")),
    "bunx": _PLAIN,
    "dotenv": _Wrapper(names("-e -f -p")),
    "op": _Wrapper(names("--env-file"), operands=1),
    "doppler": _Wrapper(operands=1),
}

_CONTAINERS = names("docker podman nerdctl")
_CONTAINER_VALUES = names(
    "-v -e -p -w -u -h -m -l --volume --env --publish --workdir --user --name --network --entrypoint "
    "--mount --hostname --memory --cpus --label --platform --env-file --pull --restart --gpus --device "
    "--add-host --ipc --pid"
)

_RUNNERS = names("uv poetry pipenv pdm hatch rye conda mamba bundle mise op doppler pnpm yarn")
_RUNNING = names("run exec x")


def is_wrapper(name: str) -> bool:
    """Whether the program starts the one that its arguments name."""
    return name in _WRAPPERS


def opened_by_wrapper(call: Call) -> list[Opened]:
    """The program that a wrapper starts; empty where the call is no such thing."""
    wrapper = _WRAPPERS.get(call.name)
    if call.name in _CONTAINERS:
        return _in_container(call)
    if wrapper is None:
        return []
    split = _split_string(call) if call.name == "env" else []
    behind = behind_options(call.arguments, wrapper.with_value)
    if call.name in _RUNNERS and not (behind and behind[0].text in _RUNNING):
        return []
    if call.name in ("command", "builtin") and _only_asks(call):
        return []
    inner = _after_operands(behind, wrapper)
    if call.name in ("sudo", "doas") and _through_shell(call, wrapper):
        if len(inner) == 1:
            return [Code(inner, call.name)]
        return [Code((as_line(tuple(map(_quoted, inner))),) if inner else call.stdin, call.name)]
    found: list[Opened] = [*split]
    if inner:
        found.append(Program(inner, call.name, directory=_directory(call, wrapper)))
    return found


def behind_wrapper(call: Call) -> Fields:
    """What stands behind a wrapper's own words, assignments included; empty for other programs."""
    wrapper = _WRAPPERS.get(call.name)
    if wrapper is None:
        return ()
    return behind_options(call.arguments, wrapper.with_value)[wrapper.operands :]


def _only_asks(call: Call) -> bool:
    return parse_options(call.arguments, leading=True).has("-v", "-V")


def _through_shell(call: Call, wrapper: _Wrapper) -> bool:
    return parse_options(call.arguments, wrapper.with_value, leading=True).has(
        "-s", "-i", "--shell", "--login"
    )


def _directory(call: Call, wrapper: _Wrapper) -> Field | None:
    parsed = parse_options(call.arguments, wrapper.with_value, leading=True)
    short = {"env": "-C", "sudo": "-D"}.get(call.name, "--chdir")
    values = parsed.values("--chdir", "--directory", short)
    return values[-1] if values else None


def _after_operands(behind: Fields, wrapper: _Wrapper) -> Fields:
    if wrapper.assignments:
        behind = _without_assignments(behind)
    behind = behind[wrapper.operands :]
    return behind[1:] if behind and behind[0].text == "--" else behind


def _without_assignments(fields: Fields) -> Fields:
    at = 0
    while at < len(fields) and is_name(fields[at].text.partition("=")[0]) and "=" in fields[at].text:
        at += 1
    return fields[at:]


def _in_container(call: Call) -> list[Opened]:
    """`docker run -v /:/host image rm -rf /host`: what is mounted is what the program in it touches."""
    arguments = call.arguments[1:] if call.texts[:1] in (["run"], ["create"]) else ()
    parsed = parse_options(arguments, _CONTAINER_VALUES, leading=True)
    mounts = [value.text.split(":") for value in parsed.values("-v", "--volume") if ":" in value.text]
    command = parsed.operands[1:] if mounts else []
    for mount in mounts:
        command = [_mounted(field, mount[0], mount[1].rstrip("/")) for field in command]
    return [Program(tuple(command), call.name, guess=True)] if command else []


def _mounted(field: Field, outside: str, inside: str) -> Field:
    text = " ".join(
        outside.rstrip("/") + word[len(inside) :] or "/"
        if word == inside or word.startswith(inside + "/")
        else word
        for word in field.text.split(" ")
    )
    return field.with_text(text)


def _split_string(call: Call) -> list[Opened]:
    """`env -S 'program arguments'`: the text is cut into words."""
    parsed = parse_options(call.arguments, names("-u -C -P -S --unset --chdir --split-string"), leading=True)
    texts = parsed.values("-S", "--split-string")
    return [Code((as_line((text, *map(_quoted, parsed.operands))),), "env -S") for text in texts]


def as_line(fields: Fields) -> Field:
    """The arguments joined by blanks, as `eval` joins them."""
    return laid_together(fields, " ")


def _quoted(field: Field) -> Field:
    return field.with_text(shlex.quote(field.text))
