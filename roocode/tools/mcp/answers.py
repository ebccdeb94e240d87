"""Answers what a server asks of us: questions to the person, of the model, and where we work.

What it says is a stranger's: it is shown as such, and nothing that it says answers for the person.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types

from roocode.protocol.errors import RooCodeError
from roocode.tools.mcp.ports import Host, Waiting
from roocode.tools.services import Option, Question

MOST_FIELDS = 12
MOST_SAMPLE_TOKENS = 4_096
MOST_SAMPLE_CHARACTERS = 8_000
"""A longer request is refused: the person is asked about the whole of it."""
_MOST_TRIES = 3
_LONGEST = 2_000
_MOST_CHOICES = 20
_ACCEPT, _DECLINE, _EMPTY = "Accept", "Decline", "Leave it out"


class Answers:
    """The callbacks of one connection."""

    def __init__(self, server: str, host: Host, waiting: Waiting) -> None:
        self._server = server
        self._host = host
        self._waiting = waiting

    async def elicit(self, _context: Any, params: Any) -> types.ElicitResult:
        """Puts the server's question to the person; without one it is declined."""
        asker = self._host.asker
        if asker is None:
            return types.ElicitResult(action="decline")
        url = getattr(params, "url", None)
        intro = f"The MCP server {self._server} asks: {_short(params.message)}"
        if url is not None:
            return await self._confirm(f"{intro}\nIt wants you to open {_short(url)} yourself.", None)
        schema = _fields(getattr(params, "requested_schema", None))
        if not schema:
            return await self._confirm(intro, {})
        if len(schema) > MOST_FIELDS:
            return types.ElicitResult(action="decline")
        content: dict[str, Any] = {}
        for name, field in schema.items():
            answer = await self._ask(intro, name, field)
            if answer is None:
                return types.ElicitResult(action="cancel")
            if answer == _DECLINE:
                return types.ElicitResult(action="decline")
            if answer != _EMPTY:
                content[name] = read(field, answer)
        return types.ElicitResult(action="accept", content=content)

    async def _confirm(self, text: str, content: dict[str, Any] | None) -> types.ElicitResult:
        options = (Option(_ACCEPT, "Go on"), Option(_DECLINE, "Do not"))
        answer = await self._one(Question(text, options, "MCP"))
        if answer is None:
            return types.ElicitResult(action="cancel")
        return (
            types.ElicitResult(action="accept", content=content)
            if answer == _ACCEPT
            else types.ElicitResult(action="decline")
        )

    async def _ask(self, intro: str, name: str, field: Mapping[str, Any]) -> str | None:
        """A person's answer that fits the field; after some that do not, the question is declined."""
        complaint = ""
        for _ in range(_MOST_TRIES):
            text = f"{intro}\n{complaint}{_short(field.get('title') or name)}"
            if described := field.get("description"):
                text += f": {_short(described)}"
            answer = await self._one(Question(text, _options(field), "MCP"))
            if answer in (None, _DECLINE, _EMPTY):
                return answer
            try:
                read(field, str(answer))
            except ValueError as error:
                complaint = f"({error}) "
                continue
            return answer
        return _DECLINE

    async def _one(self, question: Question) -> str | None:
        assert self._host.asker is not None
        self._waiting.questions += 1
        try:
            answers = await self._host.asker.ask((question,))
        finally:
            self._waiting.questions -= 1
        return answers[0] if answers else None

    async def sample(self, _context: Any, params: Any) -> types.CreateMessageResult | types.ErrorData:
        """Lets the person decide whether the server may ask the model, with the whole request before them."""
        asker, sampler = self._host.asker, self._host.sampler
        if asker is None or sampler is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="nobody is here to allow it")
        turns = tuple((str(each.role), _text_of(each.content)) for each in params.messages)
        system = params.system_prompt or ""
        said = (*((("system", system),) if system else ()), *turns)
        asked = "\n".join(f"{role}: {text}" for role, text in said)
        if len(asked) > MOST_SAMPLE_CHARACTERS:
            return types.ErrorData(code=types.INVALID_REQUEST, message="more than a person can look over")
        text = f"The MCP server {self._server} wants to ask the model, at your cost:\n{asked}"
        options = (Option("Allow once", "The answer goes to the server"), Option(_DECLINE, "Do not"))
        if await self._one(Question(text, options, "MCP")) != "Allow once":
            return types.ErrorData(code=types.INVALID_REQUEST, message="the person declined")
        tokens = max(1, min(params.max_tokens, MOST_SAMPLE_TOKENS))
        try:
            answer, model = await sampler.sample(system, turns, tokens)
        except RooCodeError as error:
            return types.ErrorData(code=types.INTERNAL_ERROR, message=error.what)
        content = types.TextContent(type="text", text=answer)
        return types.CreateMessageResult(
            role="assistant", content=content, model=model, stop_reason="endTurn"
        )

    async def roots(self, _context: Any) -> types.ListRootsResult:
        """The directories that are worked in."""
        return types.ListRootsResult(
            roots=[types.Root(uri=root.as_uri(), name=root.name) for root in self._host.roots]
        )


def _fields(schema: Any) -> dict[str, Mapping[str, Any]]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    return {str(name): each for name, each in properties.items() if isinstance(each, Mapping)}


def _choices(field: Mapping[str, Any]) -> dict[str, Any]:
    """What may be picked: what is shown, and what is sent for it."""
    if field.get("type") == "boolean":
        return {"Yes": True, "No": False}
    inner = field.get("items") if field.get("type") == "array" else field
    if not isinstance(inner, Mapping):
        return {}
    if isinstance(values := inner.get("enum"), list):
        names = inner.get("enumNames")
        shown = names if isinstance(names, list) and len(names) == len(values) else values
        return dict(zip(map(str, shown), values, strict=True))
    titled = inner.get("oneOf", inner.get("anyOf"))
    if isinstance(titled, list):
        return {
            str(each.get("title", each["const"])): each["const"]
            for each in titled
            if isinstance(each, Mapping) and "const" in each
        }
    return {}


def _options(field: Mapping[str, Any]) -> tuple[Option, ...]:
    """What may be answered, the server's own proposal first."""
    known = _choices(field)
    default = field.get("default")
    proposed = [shown for shown, value in known.items() if value == default and default is not None]
    if not known and default is not None:
        proposed = [_short(default)]
    rest = [shown for shown in list(known)[:_MOST_CHOICES] if shown not in proposed]
    options = [Option(shown, "What the server proposes") for shown in proposed]
    options += [Option(_short(shown)) for shown in rest]
    return (*options, Option(_EMPTY), Option(_DECLINE, "Answer nothing of this"))


def read(field: Mapping[str, Any], answer: str) -> Any:
    """The value that an answer means. Raises ValueError in words for the person."""
    choices = _choices(field)
    kind = field.get("type", "string")
    if kind == "array":
        picked = [part.strip() for part in answer.split(",")]
        return [choices.get(part, part) for part in picked if part]
    if choices:
        if answer not in choices:
            raise ValueError("pick one of these")
        return choices[answer]
    if kind == "integer":
        return _number(answer, int)
    if kind == "number":
        return _number(answer, float)
    return answer


def _number(answer: str, kind: type[int] | type[float]) -> int | float:
    try:
        return kind(answer)
    except ValueError:
        raise ValueError(
            "that should be a whole number" if kind is int else "that should be a number"
        ) from None


def _text_of(content: Any) -> str:
    parts = content if isinstance(content, list) else [content]
    return "\n".join(
        getattr(part, "text", None) or f"[{getattr(part, 'type', 'something')}]" for part in parts
    )


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
