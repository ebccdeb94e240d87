from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roocode.security.permissions import protected


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        ".git/config",
        "sub/.git/hooks/pre-commit",
        ".GIT/config",
        ".g\u200cit/config",
        ".git./config",
        ".git /config",
        "\uff0egit/config",
        ".git::$INDEX_ALLOCATION/config",
        "GIT~1/config",
        "ROOCOD~1/config.yaml",
        "MCP~1.JSO",
        ".git\ufe0f/config",
        ".g\u034fit/config",
        ".git\u3164/config",
        ".roocode",
        ".RooCode/settings.json",
        ".roocode/config.yaml",
        ".roocode/config.local.yaml",
        ".roocode/teams/refactor/team.json",
        ".roocode/teams/refactor",
        ".roocode/worktrees/refactor/bob/src/a.py",
        ".roocode/skills/x/.git/config",
        ".mcp.json",
        "deep/.MCP.json",
    ],
)
def test_never_written(path: str) -> None:
    assert protected.never_written(path.split("/"))


@pytest.mark.parametrize(
    "path",
    ["src/git/config.py", "docs/.roocode.md", ".gitignore", ".gitattributes", "mcp.json",
     ".roocode/skills/x.md", ".roocode/teams/refactor.yaml", ".roocode/ROOCODE.md", ".github/workflows/c"],
)  # fmt: skip
def test_not_protected(path: str) -> None:
    assert protected.never_written(path.split("/")) == ""


@pytest.mark.parametrize(
    "path",
    [".vscode/tasks.json", ".VSCode/tasks.json", ".husky/pre-commit", ".github/workflows/ci.yml", ".bashrc",
     "sub/.envrc", "Jenkinsfile",
     "AGENTS.md", "docs/Claude.md", "x.code-workspace", ".gitea/workflows/x",
     ".config/nvim/init.lua", ".github/copilot-instructions.md", ".local/bin/ls", "sitecustomize.py",
     ".claude/settings.json", ".roocode/skills/x/SKILL.md", ".roocode/agents",
     ".roocode/commands/c.md", ".roocode/teams/refactor.yaml", ".roocode/ROOCODE.md", "gradle/wrapper/x.jar"],
)  # fmt: skip
def test_written_after_a_question(path: str) -> None:
    assert protected.written_after_a_question(path.split("/"))


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        ".github/ISSUE_TEMPLATE/bug.md",
        "wrapper/x",
        "bashrc",
        "vscode/x",
        ".config/app.toml",
        "agents.py",
        ".local/share/x",
        "docs/Jenkinsfile.md",
        ".gradle/caches/x",
    ],
)
def test_written_without_a_special_question(path: str) -> None:
    assert protected.written_after_a_question(path.split("/")) == ""


@given(
    st.lists(st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u202e"), max_size=4),
    st.integers(0, 4),
    st.booleans(),
)
def test_invisible_characters_and_case_hide_nothing(extra: list[str], at: int, upper: bool) -> None:
    name = ".git"[:at] + "".join(extra) + ".git"[at:]

    assert protected.never_written([name.upper() if upper else name])
