"""P17 and P20 to P22: hosts, modes and a configuration that is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.interaction.config.load import load_settings
from roocode.interaction.config.places import find_places
from roocode.interaction.config.trust import effective_files, trust
from roocode.protocol.decisions import MODES
from tests.security.properties.conftest import Scene


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com.evil.org/",
        "https://notexample.com/",
        "https://example.com@evil.org/",
        "https://evil.org\\.example.com/",
        "https://example.com%00.evil.org/",
        "https://evil.org/?example.com",
        "https://EXAMPLE.org/",
    ],
)
def test_p17_a_host_is_compared_by_its_labels_after_parsing(scene: Scene, url: str) -> None:
    scene.add("allow", "WebFetch(domain:example.com)")
    assert scene.says("WebFetch", url="https://Example.COM./x", prompt="x") == "allow"
    assert scene.says("WebFetch", url=url, prompt="x") != "allow"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "[::1]", "169.254.169.254", "10.1.2.3", "localhost"]
)
def test_p17_a_private_address_is_refused_in_any_notation(scene: Scene, host: str) -> None:
    scene.add("allow", "WebFetch")
    assert scene.says("WebFetch", "bypassPermissions", url=f"http://{host}/", prompt="x") == "deny"


@pytest.mark.parametrize(
    "path",
    [
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".husky/pre-commit",
        ".devcontainer/devcontainer.json",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".bashrc",
        ".envrc",
        ".roocode/skills/x/SKILL.md",
        ".roocode/agents/x.md",
    ],
)
def test_p20_accepting_edits_does_not_reach_what_is_run_later(scene: Scene, path: str) -> None:
    assert scene.says("WriteFile", "acceptEdits", path="src/b.py", content="x") == "allow"
    assert scene.bash("touch src/b.py", "acceptEdits") != "allow"
    for mode in ("default", "acceptEdits", "bypassPermissions"):
        assert scene.says("WriteFile", mode, path=path, content="x") == "ask"


def test_p21_bypass_takes_away_the_default_question_and_nothing_else(scene: Scene) -> None:
    scene.add("ask", "Bash(git push *)")
    scene.add("deny", "Bash(make *)")
    mode = "bypassPermissions"
    assert scene.bash("npm test", mode) == "allow"
    assert scene.bash("git push origin x", mode) == "ask"
    assert scene.bash("make all", mode) == "deny"
    assert scene.bash("rm -rf ~", mode) == "deny"
    assert scene.says("WriteFile", mode, path="../outside/x", content="x") == "deny"


def test_p21_no_file_of_a_project_selects_bypass(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    root = tmp_path / "proj"
    (root / ".roocode").mkdir(parents=True)
    for name in ("config.yaml", "config.local.yaml"):
        (root / ".roocode" / name).write_text("permissions: {mode: bypassPermissions}\n")
    environment = {"HOME": str(tmp_path / "home")}
    assert load_settings(root, environment).mode == "default"
    places = find_places(root, environment)
    trust(places, effective_files(root))
    assert load_settings(root, environment).mode == "default"


def test_p22_what_cannot_be_read_switches_allow_rules_off(scene: Scene) -> None:
    scene.add("allow", "Bash(npm test)")
    assert scene.bash("npm test") == "allow"
    scene.config_errors = ("project: deny cannot be read",)
    assert scene.answer("Bash", command="npm test")["layer"] == "rules"
    assert scene.bash("npm test") == "ask"


@pytest.mark.parametrize("flawed", ["Bsh(npm *)", "Bash(", "Read()", ""])
def test_p22_a_deny_rule_that_is_not_understood_switches_allow_rules_off(scene: Scene, flawed: str) -> None:
    scene.add("allow", "Bash(npm test)")
    scene.add("deny", flawed)
    assert scene.bash("npm test") == "ask"


def test_p22_an_empty_list_allows_nothing(scene: Scene) -> None:
    assert {scene.bash("npm test", mode) for mode in MODES if mode != "bypassPermissions"} == {"ask", "deny"}
