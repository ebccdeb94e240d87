"""`roocode config` as people and scripts use it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.conftest import Roocode


def test_show_says_who_set_what(roocode: Roocode, home: Path, project: Path) -> None:
    (home / ".roocode").mkdir()
    (home / ".roocode/config.yaml").write_text("# mine\nmodel: a/b\n")
    (project / ".roocode/config.yaml").write_text("model: c/d\n")

    shown = roocode("config", "show", ROOCODE_MODEL="e/f").stdout.splitlines()

    assert shown[:3] == [
        "model = a/b   (~/.roocode/config.yaml:2)   overridden by ROOCODE_MODEL",
        "model = c/d   (.roocode/config.yaml:1)   ignored: this directory is not trusted",
        "model = e/f   (ROOCODE_MODEL)",
    ]
    assert "permissions.mode = default   (default)" in shown


def test_show_as_json_holds_every_value(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text("permissions: {deny: [Bash(rm *)]}\n")

    rows = json.loads(roocode("config", "show", "--json").stdout)

    assert {
        "key": "permissions.deny",
        "value": "Bash(rm *)",
        "tier": "project",
        "source": ".roocode/config.yaml:1",
    } in rows
    assert {"key": "max_turns", "value": 50, "tier": "default"} in rows


def test_get_prints_the_value_alone(roocode: Roocode) -> None:
    roocode("config", "set", "permissions.deny", '["Bash(rm *)", "Bash(dd *)"]')
    roocode("config", "set", "team.verify", "make test")

    assert roocode("config", "get", "team.verify").stdout == "make test\n"
    assert json.loads(roocode("config", "get", "permissions.deny").stdout) == ["Bash(rm *)", "Bash(dd *)"]
    assert json.loads(roocode("config", "get", "team").stdout) == {
        "verify": "make test",
        "max_teammates": 4,
        "backend": "auto",
        "coordinator": True,
    }
    assert roocode("config", "get", "max_turns").stdout == "50\n"


def test_get_of_what_is_not_set_prints_nothing_and_fails(roocode: Roocode) -> None:
    done = roocode("config", "get", "model")

    assert (done.returncode, done.stdout, done.stderr) == (1, "", "model is not set\n")


def test_set_keeps_what_the_person_wrote(roocode: Roocode, home: Path) -> None:
    (home / ".roocode").mkdir()
    file = home / ".roocode/config.yaml"
    file.write_text("# mine\nmodel: a/b   # the good one\n")

    done = roocode("config", "set", "max_turns", "7")

    assert (done.returncode, done.stdout) == (0, "")
    assert file.read_text() == "# mine\nmodel: a/b   # the good one\nmax_turns: 7\n"


def test_set_in_an_untrusted_project_says_that_it_has_no_effect(roocode: Roocode, project: Path) -> None:
    (project / ".roocode/config.yaml").write_text("# theirs\n")

    done = roocode("config", "set", "model", "a/b", "--project")

    assert "no effect until the directory is trusted" in done.stderr
    assert (project / ".roocode/config.yaml").read_text() == "# theirs\nmodel: a/b\n"


def test_set_refuses_what_does_not_fit_and_changes_nothing(roocode: Roocode, home: Path) -> None:
    for key, value, said in (
        ("modle", "x", "did you mean 'model'?"),
        ("max_turns", "x", "should be a whole number"),
        ("team", "x", "set one of them"),
    ):
        done = roocode("config", "set", key, value)
        assert done.returncode == 42
        assert said in done.stderr
    assert not (home / ".roocode/config.yaml").exists()


def test_path_is_where_the_file_would_be(roocode: Roocode, home: Path, project: Path) -> None:
    assert roocode("config", "path").stdout == f"{home}/.roocode/config.yaml\n"
    assert roocode("config", "path", "--local").stdout == f"{project}/.roocode/config.local.yaml\n"
    assert roocode("config", "path", ROOCODE_HOME="/x").stdout == "/x/config.yaml\n"
