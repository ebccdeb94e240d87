"""Arguments that are run though they look like a name or a setting: subscripts, and options of `ssh`."""

from __future__ import annotations

from itertools import pairwise

from roocode.security.permissions.shell.calls import Call, Code, Opened
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import names


def connected(call: Call) -> list[Opened]:
    """Settings of `ssh` that name a program of this machine, as ProxyCommand does."""
    given = parse_options(call.arguments, names("-o -i -l -p -F -J -L -R -D -b -c -E -e -m"), leading=True)
    settings = [value.with_text(value.text.partition("=")[2]) for value in given.values("-o")]
    return [Code((each,), "ssh -o", guess=True) for each in settings if each.text]


def subscripts(call: Call) -> list[Opened]:
    """What a builtin evaluates in the subscript of a name that it is given: `unset 'a[$(id)]'` runs id."""
    names_of = call.arguments
    if call.name in ("printf", "test", "["):
        names_of = tuple(field for before, field in pairwise(call.arguments) if before.text in ("-v", "-R"))
    return [
        Code((field.with_text(": " + field.text.partition("[")[2]),), call.name, guess=True)
        for field in names_of
        if "[" in field.text and ("$(" in field.text or "`" in field.text)
    ]
