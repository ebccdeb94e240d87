"""P18, P25, P31: what a person sees, what a repository runs under reading git, what is never written."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from roocode.interaction.ui.terminal.question_text import details
from roocode.security.isolation.secrets import Secrets
from tests.security.properties.conftest import Scene
from tests.security.properties.test_p19_p32_p33_answers import Person, run
from tests.tools.conftest import Bench
from tests.traps import sprung, trapped


def test_p18_a_question_shows_every_command_and_hides_no_character(scene: Scene) -> None:
    person = Person()
    steps = "; ".join(f"touch step{number}" for number in range(40))
    run(scene, person, f"{steps};{' ' * 500}touch \u200blast")
    shown = details(person.asked, 80)
    assert [part.text for part in person.asked[0].parts][-1].startswith("touch ")
    assert all(f"touch step{number}" in shown for number in range(40))
    assert "\\u200blast" in shown
    assert "\u200b" not in shown
    assert " " * 100 not in shown


@pytest.mark.parametrize("line", ["git status", "git log -p", "git diff", "git show", "git blame a.txt"])
def test_p25_git_that_the_model_runs_unasked_runs_nothing_of_a_repository(tmp_path: Path, line: str) -> None:
    repo = trapped(tmp_path)
    (repo.root / "a.txt").write_text("changed\n")

    async def ask() -> None:
        bench = Bench(repo.root, tmp_path / "scratch")
        try:
            await bench.call("Bash", command=line)
        finally:
            await bench.shells.close()

    asyncio.run(ask())
    assert sprung(repo) == set()


def test_p31_known_shapes_and_loaded_values_are_masked() -> None:
    secrets = Secrets("salt")
    secrets.learn({"DB_PASSWORD": "correct horse battery"}, ())
    text = secrets("key ghp_" + "a1B2" * 9 + " and correct horse battery")
    assert "a1B2a1B2" not in text
    assert "correct horse" not in text
    assert "[secret: DB_PASSWORD" in text
    assert secrets("nothing here, not even sk-...") == "nothing here, not even sk-..."
    assert os.environ.get("PATH", "") in secrets(os.environ.get("PATH", ""))
