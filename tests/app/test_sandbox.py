"""The operating system's sandbox in whole runs of `roocode -p`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.scripted.server import ScriptedServer
from tests.app.conftest import Roocode
from tests.app.headless import address
from tests.app.test_inspect_doctor import findings
from tests.security.sandbox.boxes import needs_bubblewrap

Scripted = Callable[..., ScriptedServer]
LOOK = "python3 look.py"
LINE = f"{LOOK}; echo inside > made; echo outside > ~/made"
BYPASS = ("--permission-mode", "bypassPermissions")


def shell_run(
    scripted: Scripted, roocode: Roocode, project: Path, *options: str, line: str = LINE, **env: str
) -> None:
    (project / "look.py").write_text("import os; open('net', 'w').write(os.readlink('/proc/self/ns/net'))")
    call = {"tool": "Bash", "input": {"command": line}}
    server = scripted({"agents": {"main": [{"calls": [call]}, {"text": "Done."}]}})
    done = roocode("-p", "Go.", *options, **address(server), **env)
    assert done.stdout == "Done.\n", done.stderr


def on_host_network(project: Path) -> bool:
    return (project / "net").read_text().strip() == str(Path("/proc/self/ns/net").readlink())


@needs_bubblewrap
def test_what_the_mode_allows_runs_without_network_and_writes_in_the_project(
    scripted: Scripted, roocode: Roocode, project: Path, home: Path
) -> None:
    shell_run(scripted, roocode, project, *BYPASS)
    assert (project / "made").read_text() == "inside\n"
    assert not (home / "made").exists()
    assert not on_host_network(project)


@needs_bubblewrap
def test_what_a_rule_allows_has_the_network(scripted: Scripted, roocode: Roocode, project: Path) -> None:
    shell_run(scripted, roocode, project, "--allowed-tools", "Bash", line=LOOK)
    assert on_host_network(project)


def test_off_runs_everything_as_it_is(
    scripted: Scripted, roocode: Roocode, project: Path, home: Path
) -> None:
    shell_run(scripted, roocode, project, *BYPASS, ROOCODE_SANDBOX="off")
    assert (home / "made").read_text() == "outside\n"
    assert on_host_network(project)


@pytest.mark.parametrize("scope", ["config.yaml", "config.local.yaml"])
def test_a_project_cannot_turn_it_off(roocode: Roocode, project: Path, scope: str) -> None:
    (project / ".roocode" / scope).write_text("sandbox: off\n")
    roocode("trust", "--yes")
    assert roocode("config", "get", "sandbox").stdout == "auto\n"
    assert "sandbox = off" in roocode("config", "show").stdout
    assert "ignored: never read from a project's files" in roocode("config", "show").stdout


def test_the_doctor_says_whether_it_is_on(roocode: Roocode, tmp_path: Path) -> None:
    assert findings(roocode, ROOCODE_SANDBOX="off")["sandbox"]["detail"].startswith("off")
    missing = findings(roocode, PATH=str(tmp_path))["sandbox"]
    assert missing["status"] == "warning"
    assert missing["detail"].startswith("bwrap and nsenter not found")
    assert missing["mend"].startswith("install bubblewrap")
    assert findings(roocode, PATH=str(tmp_path), ROOCODE_SANDBOX="required")["sandbox"]["status"] == "error"


@needs_bubblewrap
def test_the_doctor_says_that_it_works(roocode: Roocode) -> None:
    found = findings(roocode)["sandbox"]
    assert found["status"] == "ok"
    assert found["detail"].startswith("on")
