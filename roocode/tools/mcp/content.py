"""From what a server answers to what the model reads: texts as they are, all other bytes as files."""

from __future__ import annotations

import base64
import json
import mimetypes
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roocode.protocol.frozen import frozen

MOST_CHARACTERS = 8_000_000
MOST_BYTES = 32 * 1024 * 1024
_NOTHING = "(the server answered with nothing)"


@frozen
class Keep:
    """Where bytes go that are no text: a folder that the agent may read."""

    folder: Path

    def __call__(self, data: str, mime: str, what: str) -> str:
        """Keeps Base64 data and says where it is."""
        kind = mime or "application/octet-stream"
        if len(data) > MOST_BYTES * 4 // 3:
            return f"[{what} of type {kind}, too large to keep]"
        try:
            content = base64.b64decode(data, validate=True)
        except ValueError:
            return f"[{what} of type {kind}, which is not valid Base64]"
        ending = mimetypes.guess_extension(kind.partition(";")[0].strip()) or ".bin"
        path = self.folder / f"mcp-{secrets.token_hex(6)}{ending}"
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except OSError as error:
            return f"[{what} of type {kind}, which could not be kept: {error.strerror}]"
        return f"[{what} of type {kind}, {len(content):,} bytes, kept in {path}]"


def result_text(result: Any, keep: Keep) -> str:
    """The text of a tool's result; what is structured counts where nothing else was sent."""
    parts = [_part(each, keep) for each in result.content or []]
    if not any(parts) and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False, indent=1)]
    return _joined(parts)


def resource_text(result: Any, keep: Keep) -> str:
    """The text of a resource that was read."""
    return _joined([_resource(each, keep) for each in result.contents])


def prompt_text(result: Any, keep: Keep) -> str:
    """The texts of a prompt, those of another speaker than the person with a word on whose they are."""
    said = []
    for message in result.messages:
        text = _part(message.content, keep)
        said.append(text if message.role == "user" else f"[as the {message.role}]\n{text}")
    return _joined(said)


def _joined(parts: Iterable[str]) -> str:
    text = "\n\n".join(part for part in parts if part)
    if len(text) > MOST_CHARACTERS:
        left = len(text) - MOST_CHARACTERS
        text = (
            f"{text[:MOST_CHARACTERS]}\n[… {left:,} characters left out: the server answered with too much]"
        )
    return text or _NOTHING


def _part(part: Any, keep: Keep) -> str:
    match part.type:
        case "text":
            return str(part.text)
        case "image":
            return keep(part.data, part.mime_type, "a picture")
        case "audio":
            return keep(part.data, part.mime_type, "a sound")
        case "resource":
            return _resource(part.resource, keep)
        case "resource_link":
            described = f": {part.description}" if part.description else ""
            return f"[resource {part.uri} ({part.name}){described}]"
        case other:
            return f"[something of type {other}]"


def _resource(resource: Any, keep: Keep) -> str:
    text = getattr(resource, "text", None)
    if text is not None:
        return str(text)
    return f"{resource.uri}: {keep(resource.blob, resource.mime_type or '', 'a resource')}"
