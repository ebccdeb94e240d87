"""One setting, how hard a model thinks, in the forms in which endpoints take it.

Sources: the guides on extended and adaptive thinking of platform.claude.com/docs, and the reasoning guide of
developers.openai.com.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, assert_never

from roocode.protocol.models import Effort

EffortForm: TypeAlias = Literal["adaptive", "budget", "reasoning_effort", "reasoning"]
"""`adaptive` and `budget` are Anthropic's `thinking`, the others a field of OpenAI's protocols."""

Thinks: TypeAlias = Literal["never", "budget", "adaptive", "effort", "unknown"]
"""What a model can be asked for; a model that is `unknown` is asked, and the field dropped if refused."""

LEAST_BUDGET = 1024
_BUDGETS: Mapping[Effort, int] = {"low": 2048, "medium": 8192, "high": 24576}
_SHARE_OF_LIMIT = 0.75

_MODELS: tuple[tuple[re.Pattern[str], Thinks], ...] = (
    (re.compile(r"claude-(?:2|3-(?!7)|instant)"), "never"),
    (re.compile(r"claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|(?=-\d{8}|@|$)))"), "budget"),
    (re.compile(r"claude-"), "adaptive"),
    (re.compile(r"gpt-[34]"), "never"),
    (re.compile(r"gpt-(?:[5-9]|oss)|(?:^|\.)o[1-9](?:-|$)"), "effort"),
)
_OFF: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"gpt-5(?:-|$)"), "minimal"),
    (re.compile(r"gpt-oss|(?:^|\.)o[1-9](?:-|$)"), "low"),
)
"""The least that a model can be asked for that cannot leave thinking; all others take `none`."""


def thinks(model: str) -> Thinks:
    """What this model can be asked for, by its name; a prefix such as `vendor/` does not matter."""
    name = model.rpartition("/")[2].lower()
    return next((style for pattern, style in _MODELS if pattern.search(name)), "unknown")


def form_for(model: str, taken: tuple[EffortForm, ...]) -> EffortForm | None:
    """The form to ask in, of those that the endpoint takes, the likeliest first; None for none."""
    style = thinks(model)
    if style == "never":
        return None
    return next((form for form in taken if form == style), taken[0] if taken else None)


def params(effort: Effort, form: EffortForm, model: str, max_tokens: int) -> dict[str, Any]:
    """The members of a request that ask for this effort; none where the form has no room for it.

    A budget leaves room for the answer: it is at most three quarters of `max_tokens`.
    """
    match form:
        case "adaptive":
            return _adaptive(effort)
        case "budget":
            return _budget(effort, max_tokens, known=thinks(model) == "budget")
        case "reasoning_effort":
            return {"reasoning_effort": _level(effort, model)}
        case "reasoning":
            return {"reasoning": {"effort": _level(effort, model)}}
        case _:
            assert_never(form)


def _adaptive(effort: Effort) -> dict[str, Any]:
    if effort == "off":
        return {"thinking": {"type": "disabled"}}
    thinking = {"type": "adaptive", "display": "summarized"}
    return {"thinking": thinking, "output_config": {"effort": effort}}


def _budget(effort: Effort, max_tokens: int, *, known: bool) -> dict[str, Any]:
    if effort == "off":
        return {} if known else {"thinking": {"type": "disabled"}}
    budget = min(_BUDGETS[effort], int(max_tokens * _SHARE_OF_LIMIT))
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= LEAST_BUDGET else {}


def _level(effort: Effort, model: str) -> str:
    if effort != "off":
        return effort
    name = model.rpartition("/")[2].lower()
    return next((word for pattern, word in _OFF if pattern.search(name)), "none")
