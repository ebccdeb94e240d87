"""P30: everything that RooCode listens on is known, and reaches no further than this user's machine."""

from __future__ import annotations

import ast
from pathlib import Path

import roocode
from roocode.scripted.server import serve

LISTENING = frozenset(
    {"start_server", "start_unix_server", "create_server", "create_unix_server", "bind", "listen"}
)
KNOWN = {
    ("engine/team/wake.py", "bind"),
    ("scripted/server.py", "start_server"),
    ("tools/mcp/logins.py", "start_server"),
}
"""Wake sockets (0600 in a private directory: tests/engine/team/test_wake.py), the scripted model server
(loopback, no web page: tests/scripted/test_server.py), and where a login comes back to (loopback, while it
goes on: tests/tools/mcp/test_logins.py)."""
NO_SOCKET = {("app/hooking.py", "listen"), ("tools/mcp/client.py", "listen")}
"""Methods of that name which open nothing: hooks that hear of events, and a stream of an open connection."""


def test_nothing_else_listens() -> None:
    package = Path(roocode.__file__).parent
    found = {
        (str(path.relative_to(package)), node.func.attr)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LISTENING
    }
    assert found == KNOWN | NO_SOCKET


def test_the_scripted_server_listens_on_loopback_alone() -> None:
    with serve({"agents": {"main": [{"text": "hi"}]}}) as server:
        port = int(server.url.rpartition(":")[2])
        lines = Path("/proc/net/tcp").read_text().splitlines()
        listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
        assert [each for each in listening if each.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]
