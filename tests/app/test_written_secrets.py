"""Secrets that stand in a configuration: agents may ask for it, and are not told them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roocode.app.written_secrets import learn_written
from roocode.security.isolation.secrets import Secrets
from tests.app.conftest import Roocode

TOKENS = [
    "h7Kq92LmZx81TTw",
    "Zk81mmQw92Lx7",
    "k29Xq71LmPz04Ru",
    "k29Xq71LmPz04Rv",
    "Wq71LmPz04RtZk8",
    "b8R2kkPq0017Zx",
]
CONFIG = {
    "mcp_servers": {
        "a": {"command": "srv", "args": ["--token", TOKENS[0], f"https://x/?api_key={TOKENS[1]}"]},
        "b": {
            "type": "http",
            "url": f"https://x/mcp?api_key={TOKENS[1]}",
            "headers": {"X-Custom": TOKENS[2]},
        },
    },
    "hooks": [
        {
            "event": "stop",
            "action": {
                "type": "http",
                "url": f"https://x/hook?token={TOKENS[3]}",
                "headers": {"X-Mine": TOKENS[4], "Authorization": f"Bearer {TOKENS[5]}"},
            },
        }
    ],
}


@pytest.mark.parametrize(
    "words",
    [
        ("config", "show"),
        ("config", "get", "mcp_servers"),
        ("config", "get", "hooks"),
        ("mcp", "list"),
        ("mcp", "get", "a"),
        ("hooks", "list"),
        ("doctor",),
    ],
)
def test_no_command_that_only_shows_prints_them(roocode: Roocode, home: Path, words: tuple[str, ...]) -> None:
    (home / ".roocode").mkdir(exist_ok=True)
    (home / ".roocode/config.yaml").write_text(json.dumps(CONFIG))
    for option in ([], ["--json"]) if words[:2] != ("config", "get") else ([],):
        shown = roocode(*words, *option).stdout
        assert "[secret: " in shown
        assert [token for token in TOKENS if token in shown] == []


def test_references_and_names_are_no_secrets() -> None:
    secrets = Secrets("salt")
    plain = {
        "headers": {"Authorization": "Bearer ${MY_TOKEN_OF_THE_DAY}"},
        "api_key_env": "THE_NAME_OF_MY_KEY",
        "nothing": [],
        "args": ["--token", "${MY_TOKEN_OF_THE_DAY}", "--verbose", "pages/and/more"],
    }
    learn_written(secrets, plain)
    assert secrets(json.dumps(plain)) == json.dumps(plain)
