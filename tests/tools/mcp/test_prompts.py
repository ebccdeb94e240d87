"""The words behind a server's slash command."""

from __future__ import annotations

import pytest

from roocode.protocol.errors import UserError
from roocode.tools.mcp.offering import RemoteArgument
from roocode.tools.mcp.prompts import NamedPrompt, arguments_of

PROMPT = NamedPrompt(
    "mcp__s__p", "s", "p", "", (RemoteArgument("city", required=True), RemoteArgument("tone"))
)
BARE = NamedPrompt("mcp__s__b", "s", "b", "", ())


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Rome", {"city": "Rome"}),
        ("'New York' kind", {"city": "New York", "tone": "kind"}),
        ("Rome very kind indeed", {"city": "Rome", "tone": "very kind indeed"}),
        ("tone=kind Rome", {"city": "Rome", "tone": "kind"}),
        ("city=Rome tone=", {"city": "Rome", "tone": ""}),
        ("x=y", {"city": "x=y"}),
        ("it's", {"city": "it's"}),
    ],
)
def test_words_are_arguments_in_their_order_or_by_name(text: str, arguments: dict[str, str]) -> None:
    assert arguments_of(PROMPT, text) == arguments


@pytest.mark.parametrize(("prompt", "text"), [(PROMPT, ""), (PROMPT, "tone=kind"), (BARE, "more")])
def test_what_is_missing_or_too_much_is_said(prompt: NamedPrompt, text: str) -> None:
    with pytest.raises(UserError) as refused:
        arguments_of(prompt, text)
    assert prompt.name in refused.value.mend


def test_what_it_takes_is_shown() -> None:
    assert PROMPT.takes == "city [tone]"
