"""The floor: a client on bare httpx2 that answers each tool call with the file's text, and nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx2

TOOL = {
    "name": "ReadFile",
    "description": "Reads a file.",
    "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}


def main(url: str) -> None:
    """Converses until the model calls no tool."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Read the files."}]
    with httpx2.Client(timeout=60) as client:
        while call := ask(client, url, messages):
            text = Path(call["input"]["path"]).read_text()
            messages += [
                {"role": "assistant", "content": [call]},
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": text}],
                },
            ]


def ask(client: httpx2.Client, url: str, messages: list[dict[str, object]]) -> dict[str, object] | None:
    """The tool call of one streamed answer."""
    body = {"model": "m", "max_tokens": 100, "stream": True, "system": "s" * 8000, "messages": messages}
    headers = {"x-api-key": "scripted", "anthropic-version": "2023-06-01"}
    call, arguments = None, ""
    with client.stream(
        "POST", f"{url}/v1/messages", json=body | {"tools": [TOOL]}, headers=headers
    ) as answer:
        for line in answer.iter_lines():
            event = json.loads(line[6:]) if line.startswith("data: ") else {}
            if event.get("type") == "content_block_start" and event["content_block"]["type"] == "tool_use":
                call = event["content_block"]
            arguments += event.get("delta", {}).get("partial_json", "")
    return None if call is None else {**call, "input": json.loads(arguments)}


if __name__ == "__main__":
    main(sys.argv[1])
