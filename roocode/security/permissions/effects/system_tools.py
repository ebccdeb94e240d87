"""Programs and builtins that tell something of the machine, the shell or a path, and change nothing."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.security.permissions.effects.spec import Parts, Spec, reader
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.cursor import is_name
from roocode.security.permissions.shell.programs import names

_PUBLIC_VARIABLES = names(
    "HOME PATH PWD OLDPWD USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TERM EDITOR TZ TMPDIR HOSTNAME COLUMNS "
    "LINES VIRTUAL_ENV GOPATH GOROOT JAVA_HOME NODE_ENV CI PYTHONPATH DISPLAY XDG_RUNTIME_DIR"
)


def _only_format(call: Call, parts: Parts) -> str:
    return "" if all(each.text.startswith("+") for each in parts.operands) else "date: sets the clock"


def _no_settings(call: Call, parts: Parts) -> str:
    return "sysctl: changes a setting" if any("=" in each.text for each in parts.operands) else ""


def _numeric(call: Call, parts: Parts) -> str:
    return "" if parts.has("-n", "--numeric") else f"{call.name}: looks names up on the network"


def _public(call: Call, parts: Parts) -> str:
    public = parts.operands and all(each.text in _PUBLIC_VARIABLES for each in parts.operands)
    return "" if public else "printenv: the environment may hold secrets"


def _no_environment(call: Call, parts: Parts) -> str:
    letters = [each.text for each in parts.operands if not each.text.isdigit()]
    return "ps: shows the environment of processes" if any("e" in text for text in letters) else ""


def _plain_names(call: Call, parts: Parts) -> str:
    plain = all(is_name(each.text) and each.text.islower() for each in parts.operands)
    return "" if plain and parts.operands else "read: sets a variable that others may use"


def _goes_somewhere(call: Call, parts: Parts) -> str:
    known = parts.operands and parts.operands[0].text != "-"
    return "" if known else f"{call.name}: where it leads is not known"


def _sets_options(call: Call, parts: Parts) -> str:
    plain = parts.options and not parts.ended and all(each.text[:1] == "+" for each in parts.operands)
    return "" if plain or _only_plus(parts) else "set: shows or changes variables"


def _only_plus(parts: Parts) -> bool:
    return bool(parts.operands) and all(each.text in ("+e", "+u", "+x", "+f") for each in parts.operands)


def _manual(call: Call, parts: Parts) -> str:
    named = parts.operands and not any("/" in each.text or each.live for each in parts.operands)
    return "" if named else "man: shows a file as a manual page"


def _only_size(call: Call, parts: Parts) -> str:
    only = [each.text for each in parts.operands] in ([], ["size"])
    return "" if only else "stty: changes the terminal"


def _only_client(call: Call, parts: Parts) -> str:
    client = [each.text for each in parts.operands] == ["version"] and parts.has("--client")
    return "" if client else "kubectl: asks the cluster"


def _kills_nothing(call: Call, parts: Parts) -> str:
    return "" if parts.has("-l", "-L", "-0") else "kill: ends processes"


def _first_is(*allowed: str) -> Spec:
    def further(call: Call, parts: Parts) -> str:
        words = " ".join(each.text for each in parts.operands)
        fits = any(words == form or (form.endswith(" *") and words.startswith(form[:-1])) for form in allowed)
        return "" if fits else f"{call.name}: {words or 'this'} is not known only to read"

    return reader(operands="text", further=further)


def _with_subcommand(flags: str, text: str, *allowed: str) -> Spec:
    spec = _first_is(*allowed)
    return reader(flags, text, operands="text", further=spec.further)


_NOTHING = reader(operands="text", most=0)

SYSTEM_TOOLS: Mapping[str, Spec] = {
    "expr": reader(operands="text", numbers=True, loose=True),
    "pwd": reader("-L -P --logical --physical", operands="text", most=0),
    "cd": reader("-L -P -e", most=1, loose=True, further=_goes_somewhere),
    "pushd": reader("-n", most=1, further=_goes_somewhere),
    "popd": reader("-n", operands="text", most=0),
    "dirs": reader("-l -p -v", operands="text", most=0),
    "sleep": reader(operands="text", loose=True),
    "exit": reader(operands="text"),
    "return": reader(operands="text"),
    "break": reader(operands="text"),
    "continue": reader(operands="text"),
    "wait": reader("-n", operands="text"),
    "jobs": reader("-l -n -p -r -s", operands="text"),
    "times": _NOTHING,
    "let": reader(operands="text", most=0),
    "set": reader("-e -u -x -v -E -T -f +e +u +x +f", "-o +o", operands="text", further=_sets_options),
    "read": reader("-r -s", "-p -n -N -t -d", operands="text", further=_plain_names),
    "umask": reader("-p -S", operands="text", most=0),
    "ulimit": reader("-a -H -S -c -n -u -v -f -d -s -t", operands="text", most=0),
    "type": reader("-a -f -p -P -t", operands="text"),
    "which": reader("-a -s --all", operands="text"),
    "whereis": reader("-b -m -s -u", operands="text"),
    "hash": reader("-t -l", operands="text", most=0),
    "help": reader("-d -m -s", operands="text"),
    "man": reader("-k -f", "-s -S", operands="text", further=_manual),
    "apropos": reader("-a -e -l", "-s", operands="text"),
    "whatis": reader("-l", "-s", operands="text"),
    "basename": reader("-a -z --multiple --zero", "-s --suffix", operands="text", loose=True),
    "dirname": reader("-z --zero", operands="text", loose=True),
    "realpath": reader(
        "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet "
        "--strip --no-symlinks --zero",
        "",
        "--relative-to --relative-base",
        loose=True,
    ),
    "readlink": reader(
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing "
        "--no-newline --quiet",
        loose=True,
    ),
    "date": reader(
        "-u -R -I -j --utc --universal --rfc-email --iso-8601 --iso-8601= --rfc-3339= -I=",
        "-d -v --date",
        "-r --reference",
        operands="text",
        further=_only_format,
    ),
    "cal": reader("-1 -3 -j -m -s -y -h", operands="text", numbers=True),
    "whoami": _NOTHING,
    "id": reader("-a -g -G -n -r -u -z -Z -p -F --user --group --groups --name --real", operands="text"),
    "groups": reader(operands="text"),
    "users": _NOTHING,
    "who": reader("-a -b -d -H -l -m -p -q -r -s -t -T -u -w", operands="text", most=0),
    "w": reader("-f -h -i -o -s", operands="text", most=0),
    "uptime": reader("-p -s -r --pretty --since", operands="text", most=0),
    "uname": reader(
        "-a -i -m -n -o -p -r -s -v --all --kernel-name --machine --operating-system", operands="text", most=0
    ),
    "arch": _NOTHING,
    "nproc": reader("--all", "--ignore", operands="text", most=0),
    "hostname": reader("-a -A -d -f -i -I -s --fqdn --short --ip-address", operands="text", most=0),
    "hostid": _NOTHING,
    "tty": reader("-s --silent --quiet", operands="text", most=0),
    "locale": reader("-a -c -k -m --all-locales", operands="text"),
    "getconf": reader("-a", operands="text"),
    "lscpu": reader("-a -b -c -e -J -p -x", operands="text", most=0),
    "lsblk": reader("-a -b -d -f -i -J -l -m -n -p -P -r -S -t", "-o -e -I -x --output", operands="text"),
    "lsusb": reader("-t -v", operands="text", most=0),
    "lspci": reader("-k -m -n -nn -t -v -vv", operands="text", most=0),
    "lsmod": _NOTHING,
    "hostnamectl": _NOTHING,
    "timedatectl": _NOTHING,
    "iostat": reader("-c -d -h -k -m -N -t -x -y -z", operands="text"),
    "lsb_release": reader("-a -c -d -i -r -s --all --short", operands="text", most=0),
    "sw_vers": reader("-productName -productVersion -buildVersion", operands="text", most=0, single=True),
    "free": reader("-b -k -m -g -h -l -t -w --human --mega --giga --total --wide", operands="text", most=0),
    "vmstat": reader("-a -d -f -m -n -s -w", "-S", operands="text"),
    "nvidia-smi": reader("-L", operands="text", most=0),
    "sysctl": reader("-n -a -e", operands="text", further=_no_settings),
    "printenv": reader("-0", operands="text", further=_public),
    "ps": reader(
        "-a -A -c -d -e -f -F -H -j -l -L -m -M -N -r -T -w -x -y --forest --no-headers --headers "
        "--cumulative",
        "-C -G -g -o -O -p -q -s -t -u -U --format --sort --pid --ppid --user",
        operands="text",
        further=_no_environment,
    ),
    "pgrep": reader(
        "-a -c -f -i -l -n -o -v -w -x --full --list-full --list-name --newest --oldest --count --exact",
        "-u -U -P -g -G -s -t -d -F",
        operands="text",
    ),
    "pidof": reader("-s -x", "-o", operands="text"),
    "top": reader("-b -c -H -i -S -1", "-n -d -p -u -o -l -s", operands="text", most=0),
    "kill": reader("-l -L -0", operands="text", further=_kills_nothing),
    "lsof": reader("-n -P -t -l -a -U -b -O -w", "-i -p -c -u -d -s", further=_numeric),
    "netstat": reader(
        "-a -n -t -u -l -p -r -i -s -w -x -e -4 -6 --numeric", "-f -I", operands="text", further=_numeric
    ),
    "ss": reader("-a -n -t -u -l -p -x -w -s -e -m -o -i -H -4 -6 -0 --numeric", operands="text", most=0),
    "ifconfig": reader("-a", operands="text", most=0),
    "ip": _with_subcommand(
        "-4 -6 -br -brief -c -color -d -j -o -s",
        "",
        *(
            f"{what}{form}"
            for what in ("a", "addr", "address", "link", "route", "r", "l")
            for form in ("", " show")
        ),
    ),
    "systemctl": _with_subcommand(
        "--no-pager -a --all -l --full -q --quiet --user --failed",
        "-n -t --type --state --lines",
        "status",
        "status *",
        "is-active *",
        "is-enabled *",
        "is-failed *",
        "list-units",
        "list-unit-files",
        "list-timers",
        "list-sockets",
    ),
    "uuidgen": reader("-r -t --random --time", operands="text", most=0),
    "tput": _first_is("cols", "lines", "colors", "longname"),
    "stty": reader("-a", operands="text", further=_only_size),
    "clear": reader("-x", operands="text", most=0),
    "yes": reader(operands="text"),
    "factor": reader("-h --exponents", operands="text"),
    "numfmt": reader(
        "-z --debug --grouping --zero-terminated",
        "-d --delimiter --field --format --from --from-unit --header --invalid --padding --round --suffix "
        "--to --to-unit",
        operands="text",
    ),
    "pstree": reader("-a -A -c -C -g -G -h -l -n -p -s -S -t -T -u -U", "-H -N", operands="text"),
    "gofmt": reader("-l -d -e -s", "-r", single=True),
    "pip": _first_is("list", "freeze", "show *"),
    "pip3": _first_is("list", "freeze", "show *"),
    "go": _first_is("version", "env", "env *"),
    "openssl": _first_is("version"),
    "kubectl": reader("--client", "-o --output", operands="text", further=_only_client),
}
