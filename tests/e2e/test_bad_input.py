"""Bad input to `roocode team`: a clear error with the mend, exit code 42, and nothing changed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.driver import TeamRun, team_run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60)]
NOTHING = {"agents": {"lead": [{"always": True, "text": "?"}]}}


@pytest.fixture
def run() -> Iterator[TeamRun]:
    with team_run(NOTHING, backend="in-process") as run:
        yield run


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a directory, git's own too, except for what reading refreshes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "index"
    }


def no_repository(run: TeamRun) -> None:
    subprocess.run(["rm", "-r", str(run.repo / ".git")], check=True)


def no_commit(run: TeamRun) -> None:
    no_repository(run)
    run.git("init", "-q", "-b", "main")


def bare(run: TeamRun) -> None:
    clone = run.base / "bare.git"
    run.git("clone", "-q", "--bare", str(run.repo), str(clone))
    run.repo = clone


def merging(run: TeamRun) -> None:
    run.git("checkout", "-q", "-b", "other")
    (run.repo / "a.txt").write_text("other\n")
    run.git("commit", "-qam", "other")
    run.git("checkout", "-q", "main")
    (run.repo / "a.txt").write_text("mine\n")
    run.git("commit", "-qam", "mine")
    run.git("merge", "other", ok=(1,))


def no_identity(run: TeamRun) -> None:
    (Path(run.env["HOME"]) / ".gitconfig").write_text("")


def broken_config(run: TeamRun) -> None:
    (Path(run.env["ROOCODE_HOME"]) / "config.yaml").write_text("model: [unclosed\n")


def unknown_key(run: TeamRun) -> None:
    (Path(run.env["ROOCODE_HOME"]) / "config.yaml").write_text("modle: x\n")


def no_key(run: TeamRun) -> None:
    del run.env["ANTHROPIC_API_KEY"], run.env["ANTHROPIC_BASE_URL"]


CASES: list[tuple[Callable[[TeamRun], None], tuple[str, ...], str]] = [
    (no_repository, (), "is not in a git repository"),
    (no_commit, (), "no commit here yet"),
    (bare, (), "bare repository"),
    (merging, (), "merge is in progress"),
    (no_identity, (), "git config --global user.name"),
    (broken_config, (), "config.yaml:1"),
    (unknown_key, (), "model"),
    (no_key, (), "ANTHROPIC_API_KEY"),
    (lambda run: None, ("--model", "nobody/model"), "unknown provider 'nobody'"),
    (lambda run: None, ("--model", "sonet"), "did you mean sonnet"),
    (lambda run: None, ("--base", "nowhere"), "there is no commit nowhere"),
    (lambda run: None, ("--name", "Not A Name"), "cannot name a team"),
]


@pytest.mark.parametrize(
    ("spoil", "options", "words"), CASES, ids=lambda value: getattr(value, "__name__", None)
)
def test_it_is_refused_with_the_mend(
    run: TeamRun, spoil: Callable[[TeamRun], None], options: tuple[str, ...], words: str
):
    spoil(run)
    before = everything(run.repo)
    done = run.roocode("team", "goal", "-p", "--output-format", "json", *options)
    assert done.code == 42, done.err
    assert words in done.err
    assert done.value["is_error"] is True
    assert words in done.value["result"]
    assert everything(run.repo) == before
    assert run.server.log == []


def test_a_name_that_is_taken_is_an_error_only_where_it_was_given(run: TeamRun):
    for number in ("", "-2"):
        run.roocode("team", "-p", "say hello", "--backend", "in-process", "--verify", "true")
        assert (run.repo / ".roocode" / "teams" / f"say-hello{number}" / "team.json").is_file()
    done = run.roocode("team", "-p", "say hello", "--name", "say-hello", "--backend", "in-process")
    assert done.code == 42
    assert "the team name say-hello is taken" in done.err
    assert "roocode team cleanup say-hello" in done.err


def test_a_key_that_is_refused_ends_with_42_and_names_the_variable(run: TeamRun):
    with team_run({**NOTHING, "keys": ["right"]}, backend="in-process") as other:
        done = other.roocode("team", "-p", "goal", "--output-format", "json", "--model", "anthropic/m")
        assert done.code == 42, done.err
        assert "ANTHROPIC_API_KEY" in done.err
        assert done.value["status"] == "failed"
        assert other.git("status", "--porcelain") == ""


def test_a_backend_that_is_not_there_is_an_error_that_names_what_is_missing(run: TeamRun):
    (run.base / "bin").mkdir()
    git = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    (run.base / "bin" / "git").symlink_to(git)
    run.env["PATH"] = str(run.base / "bin")
    before = everything(run.repo)
    done = run.roocode("team", "-p", "goal", "--backend", "tmux", "--output-format", "json")
    assert done.code == 1
    assert "there is no tmux program" in done.err
    assert json.loads(done.out)["is_error"] is True
    assert everything(run.repo) == before
