"""What one agent is built from travels to another process as JSON."""

from __future__ import annotations

import json

from roocode.app.options import AgentOptions
from roocode.interaction.config.providers import ResolvedModel
from roocode.interaction.config.settings import RuleLine
from roocode.tools.mcp.config import ServerConfig


def test_options_come_back_whole() -> None:
    own = ResolvedModel("own", "openai-responses", "http://h/v1", "k", "OWN_KEY", "m", "http")
    tested = ResolvedModel(
        "other",
        "anthropic",
        "http://h",
        None,
        None,
        "n",
        "sdk",
        learned={"efforts": [], "text_calls": True},
        window=4096,
        tested=True,
        facts={"input_price": 0.5},
    )
    options = AgentOptions(
        own,
        "You work.",
        "/home/me",
        "/home/me/.roocode",
        rules=(RuleLine("deny", "Bash", "user", "x:1"),),
        effort="low",
        fallbacks=(tested, own),
        mcp=(ServerConfig("s", "stdio", "user", "x:1", command="run", args=("a",), env={"A": "b"}),),
    )
    assert AgentOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
