"""Mends what servers send before the SDK judges it: one slip in a list would cost all that is in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp_types import JSONRPCResponse

from roocode.tools.mcp.schemas import AS_SENT

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "tools": ("name", "title", "description", "inputSchema"),
    "prompts": ("name", "title", "description", "arguments"),
    "resources": ("name", "title", "description", "uri", "mimeType"),
    "resourceTemplates": ("name", "title", "description", "uriTemplate", "mimeType"),
}
"""What is read of each item: neither what it says of itself (`annotations`) nor a schema of its results."""
_KINDS = frozenset({"text", "image", "audio", "resource", "resource_link"})


@asynccontextmanager
async def mended(streams: AbstractAsyncContextManager[Any]) -> AsyncIterator[tuple[Any, Any]]:
    """A transport whose messages are mended as they come in."""
    async with streams as (incoming, outgoing):
        yield _Mending(incoming), outgoing


class _Mending:
    """The read stream of a transport."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def last_context(self) -> Any:
        """The context of the sender, where the transport keeps it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        """The next message."""
        return _mend(await self._inner.receive())

    def __aiter__(self) -> _Mending:
        return self

    async def __anext__(self) -> Any:
        return _mend(await self._inner.__anext__())

    async def aclose(self) -> None:
        """Closes it."""
        await self._inner.aclose()

    async def __aenter__(self) -> _Mending:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._inner.__aexit__(*error)


def _mend(item: Any) -> Any:
    message = getattr(item, "message", None)
    if isinstance(message, JSONRPCResponse) and isinstance(message.result, dict):
        mend_result(message.result)
    return item


def mend_result(result: dict[str, Any]) -> None:
    """Mends a result in place, whichever request it answers."""
    for key, fields in _FIELDS.items():
        if isinstance(result.get(key), list):
            result[key] = [_item(each, fields) for each in result[key] if _is_usable(each, key)]
    if not isinstance(result.get("nextCursor", ""), str):
        del result["nextCursor"]
    if "content" in result and "role" not in result:
        result["content"] = _parts(result["content"])
        result["isError"] = result.get("isError") is True


def _is_usable(item: object, key: str) -> bool:
    address = {"resources": "uri", "resourceTemplates": "uriTemplate"}.get(key, "name")
    return isinstance(item, dict) and isinstance(item.get(address), str)


def _item(item: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    kept = {name: item[name] for name in fields if isinstance(item.get(name), str)}
    kept.setdefault("name", kept.get("uri", kept.get("uriTemplate", "")))
    if "inputSchema" in fields:
        schema = item.get("inputSchema")
        sound = isinstance(schema, dict) and schema.get("type") == "object"
        kept["inputSchema"] = schema if sound else {"type": "object", AS_SENT: schema}
    if "arguments" in fields and isinstance(item.get("arguments"), list):
        kept["arguments"] = [_argument(each) for each in item["arguments"] if _is_usable(each, "arguments")]
    return kept


def _argument(argument: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: argument[name] for name in ("name", "description") if isinstance(argument.get(name), str)}
    return kept | {"required": argument.get("required") is True}


def _parts(content: object) -> list[Any]:
    if isinstance(content, list):
        return [_part(each) for each in content]
    return [] if content is None else [{"type": "text", "text": str(content)}]


def _part(part: object) -> Any:
    if not isinstance(part, dict):
        return {"type": "text", "text": str(part)}
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        return {"type": "text", "text": f"[something of type {kind}]"}
    if part["type"] == "text":
        return {"type": "text", "text": str(part.get("text", ""))}
    return part
