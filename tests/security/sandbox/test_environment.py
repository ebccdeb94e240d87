"""What a child process gets of the environment."""

from __future__ import annotations

import pytest

from roocode.security.sandbox.environment import child_env

GONE = """
ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY OPENAI_BASE_URL DEEPSEEK_API_KEY GITHUB_TOKEN GH_TOKEN
AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN DB_PASSWORD MYSQL_PWD npm_config__authToken
MY_SECRET client_secret GOOGLE_APPLICATION_CREDENTIALS ROOCODE_TEAM GITLAB_PAT HF_TOKEN KEY
BASH_ENV ENV PROMPT_COMMAND CDPATH GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE BASH_FUNC_ls%% SHELLOPTS
TMUX TMUX_PANE STY KITTY_LISTEN_ON WEZTERM_UNIX_SOCKET ZELLIJ ZELLIJ_SESSION_NAME
"""
KEPT = """
HOME LANG TERM VIRTUAL_ENV PWD SSH_AUTH_SOCK HTTPS_PROXY GIT_AUTHOR_NAME JAVA_HOME KEYBOARD MONKEY
GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 ROOCODE_HOME TOKENIZERS_PARALLELISM PASSENGER
"""


@pytest.mark.parametrize("name", GONE.split())
def test_keys_and_traps_are_gone(name: str) -> None:
    """P26"""
    assert name not in child_env({name: "value", "PATH": "/bin"})


@pytest.mark.parametrize("name", KEPT.split())
def test_what_tools_need_stays(name: str) -> None:
    assert child_env({name: "value"})[name] == "value"


def test_named_secrets_are_gone_too() -> None:
    assert "LLM_LOGIN" not in child_env({"LLM_LOGIN": "x"}, secrets={"LLM_LOGIN"})


def test_programs_are_told_not_to_ask_and_who_runs_them() -> None:
    env = child_env({"PAGER": "less", "GIT_EDITOR": "vim"}, agent="alice")
    assert (env["PAGER"], env["GIT_EDITOR"], env["GIT_TERMINAL_PROMPT"]) == ("cat", "true", "0")
    assert env["DEBIAN_FRONTEND"] == "noninteractive"
    assert env["ROOCODE_AGENT"] == "alice"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("/usr/bin:/bin", "/usr/bin:/bin"),
        (":/usr/bin::bin:.:./x:node_modules/.bin:~/bin:/bin:", "/usr/bin:/bin"),
        (".", "/bin:/usr/bin"),
        ("", "/bin:/usr/bin"),
    ],
)
def test_programs_are_not_looked_for_in_the_directory_itself(given: str, kept: str) -> None:
    """P29"""
    assert child_env({"PATH": given})["PATH"] == kept
