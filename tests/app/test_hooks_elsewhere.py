"""Hooks that ask an address, and what `roocode hooks` says of all of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.app.hooks import CALL, READ, command, configure, keeps, kept, scenario, sent

Scripted = Callable[..., ScriptedServer]


@pytest.fixture(autouse=True)
def notes(project: Path) -> None:
    (project / "notes.txt").write_text("the word is swordfish\n")


@contextmanager
def answering(status: int, body: str, **headers: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that gives one answer to everything; what it was sent."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def posts(url: str) -> dict[str, Any]:
    return {"event": "pre_tool_use", "action": {"type": "http", "url": url}, "name": "web"}


TOUCH = {"permissions": {"allow": ["Bash(touch *)"]}}


def test_an_address_is_told_and_its_answer_counts(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path
) -> None:
    no = {"decision": "block", "reason": "the server says no"}
    with answering(200, json.dumps(no)) as (url, got):
        configure(home, [posts(url)], **TOUCH)
        server = scripted(scenario({"calls": [CALL]}, {"text": "done"}))
        roocode("-p", "go", **address(server))

    assert "the server says no" in sent(server)
    assert not (project / "ran.txt").exists()
    assert (got[0]["hook_event_name"], got[0]["tool_input"]["command"]) == ("PreToolUse", "touch ran.txt")


def test_an_address_is_told_no_secret(scripted: Scripted, roocode: Roocode, home: Path) -> None:
    with answering(200, "") as (url, got):
        configure(home, [posts(url)], **TOUCH)
        call = {"tool": "Bash", "input": {"command": "echo a-secret-of-mine-0815"}}
        server = scripted(scenario({"calls": [call]}, {"text": "done"}))
        roocode("-p", "go", **address(server), MY_API_KEY="a-secret-of-mine-0815")

    assert got
    assert "a-secret-of-mine-0815" not in json.dumps(got)


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [(500, {}, "answered 500"), (302, {"location": "http://x.example"}, "answered 302")],
)
def test_an_address_that_fails_or_leads_on_is_passed_over(
    scripted: Scripted,
    roocode: Roocode,
    home: Path,
    project: Path,
    status: int,
    headers: dict[str, str],
    said: str,
) -> None:
    with answering(status, "", **headers) as (url, _):
        configure(home, [posts(url)], **TOUCH)
        server = scripted(scenario({"calls": [CALL]}, {"text": "done"}))
        done = roocode("-p", "go", **address(server))

    assert said in done.stderr
    assert (project / "ran.txt").exists()


def test_a_projects_hook_reaches_no_local_address_and_a_denied_host_is_not_asked(
    scripted: Scripted, roocode: Roocode, home: Path, project: Path
) -> None:
    with answering(200, "") as (url, got):
        denied = {"deny": ["WebFetch(domain:hooks.example.org)"], "allow": ["Bash(touch *)"]}
        configure(home, [posts("https://hooks.example.org/x")], permissions=denied)
        (project / ".roocode" / "config.yaml").write_text(json.dumps({"hooks": [posts(url)]}))
        assert roocode("trust", "--yes").returncode == 0
        server = scripted(scenario({"calls": [CALL]}, {"text": "done"}))
        done = roocode("-p", "go", **address(server))

    assert got == []
    assert "127.0.0.1 is an address of this machine or network" in done.stderr
    assert "https://hooks.example.org/x is not asked: denied by WebFetch" in done.stderr


def test_list_and_show_name_every_hook_with_its_place(roocode: Roocode, home: Path, project: Path) -> None:
    configure(home, [command("stop", "x", name="mine", **{"if": "agent == 'main'"})])
    (project / ".roocode" / "config.yaml").write_text(json.dumps({"hooks": [command("session_start", "y")]}))
    (project / ".claude").mkdir()
    theirs = {"Setup": [], "Stop": [{"hooks": [{"type": "command", "command": "z"}]}]}
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": theirs}))

    listed = roocode("hooks", "list", "--json")
    rows = {row["name"]: row for row in json.loads(listed.stdout)}

    assert set(rows) == {"mine", ".roocode/config.yaml:1", ".claude/settings.json:1"}
    assert rows["mine"] == {
        "name": "mine",
        "source": "user",
        "path": str(home / ".roocode" / "config.yaml"),
        "at": "~/.roocode/config.yaml:1",
        "event": "stop",
        "action": "command",
        "does": "command: x",
        "if": "agent == 'main'",
    }
    assert rows[".claude/settings.json:1"]["error"] == "this directory is not trusted"
    assert "hooks.Setup is not honoured: RooCode has no such event" in listed.stderr
    assert "no effect: this directory is not trusted" in roocode("hooks", "list").stdout
    assert json.loads(roocode("hooks", "show", "mine").stdout)["as_written"]["event"] == "stop"
    missing = roocode("hooks", "show", "mien")
    assert (missing.returncode, "did you mean 'mine'?" in missing.stderr) == (42, True)


def test_a_recorded_session_says_what_would_have_fired_and_runs_nothing_unasked(
    scripted: Scripted, roocode: Roocode, home: Path, tmp_path: Path
) -> None:
    server = scripted(scenario({"calls": [READ]}, {"calls": [CALL]}, {"text": "done"}))
    roocode("-p", "go", **address(server))
    log = tmp_path / "told"
    hooks = [
        keeps("pre_tool_use", log, **{"if": 'tool == "Bash"'}),
        keeps("permission_denied", log),
        keeps("post_tool_use", log, **{"if": 'path == "notes.txt"'}),
        command("stop", "echo not yet >&2; exit 2"),
        keeps("session_start", log, once=True),
    ]
    configure(home, hooks)

    dry = json.loads(roocode("hooks", "test", "--json").stdout)
    assert not log.exists()
    assert [row["event"] for row in dry] == [
        *("session_start", "post_tool_use", "pre_tool_use", "permission_denied", "stop")
    ]
    assert dry[2]["input"]["tool_input"] == {"command": "touch ran.txt"}
    text = roocode("hooks", "test").stdout
    assert "5 hooks would fire at" in text
    assert roocode("hooks", "test", "--event", "Stop").stdout.count("command:") == 1
    assert not log.exists()

    [session] = home.glob(".roocode/projects/*/*.jsonl")
    ran = json.loads(roocode("hooks", "test", str(session), "--run", "--json").stdout)
    assert len(kept(log)) == 4
    assert "not yet" in ran[-1]["outcome"]["blocks"]


def test_a_session_that_is_none_is_said(roocode: Roocode, project: Path) -> None:
    assert "there is no saved session here" in roocode("hooks", "test").stderr
    (project / "x.jsonl").write_text("{}\n")
    assert "holds no session" in roocode("hooks", "test", "x.jsonl").stderr
    assert "there is no event 'nope'" in roocode("hooks", "test", "--event", "nope").stderr
