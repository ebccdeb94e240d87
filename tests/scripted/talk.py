"""A plain client that holds a conversation with the scripted server, over either wire protocol."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import Any

PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
}
TOOLS = ("ReadFile", "EditFile", "Bash", "TaskCreate", "TaskUpdate", "Agent", "MergeTeammate")


@dataclass
class Response:
    """A response as it came: `cut` when the connection ended before the body did."""

    status: int
    headers: dict[str, str]
    body: bytes
    cut: bool = False

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """The data of the stream's events; `[DONE]` as text."""
        lines = self.body.decode().split("\n")
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        return [item if item == "[DONE]" else json.loads(item) for item in data]


def post(url: str, path: str, body: Any, headers: dict[str, str] | None = None) -> Response:
    """One request over its own connection."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        connection.request("POST", path, raw, {"content-type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        try:
            data, cut = answer.read(), False
        except http.client.IncompleteRead as error:
            data, cut = error.partial, True
        return Response(answer.status, {k.lower(): v for k, v in answer.getheaders()}, data, cut)
    finally:
        connection.close()


def get(url: str, path: str) -> Any:
    """The JSON behind a path."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


@dataclass
class Agent:
    """An agent without a mind: it says what a test says and stores what the model answers."""

    url: str
    name: str = ""
    session: str = ""
    team: str = ""
    breaks: str = ""
    protocol: str = "anthropic"
    messages: list[dict[str, Any]] = field(default_factory=list)
    tools: tuple[str, ...] = TOOLS
    extra: dict[str, Any] = field(default_factory=dict)

    def say(self, text: str) -> Response:
        """Adds a user's message and asks; the answer is stored."""
        self.messages.append({"role": "user", "content": text})
        return self.ask()

    def give(self, *results: str, error: bool = False) -> Response:
        """Answers the calls of the last message, in order, and asks."""
        ids = [call["id"] for call in self.calls()]
        assert len(ids) == len(results)
        pairs = zip(ids, results, strict=True)
        if self.protocol == "openai-responses":
            self.messages += [
                {"type": "function_call_output", "call_id": id, "output": text} for id, text in pairs
            ]
        elif self.protocol == "openai":
            self.messages += [{"role": "tool", "tool_call_id": id, "content": text} for id, text in pairs]
        else:
            blocks = [
                {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error}
                for id, text in pairs
            ]
            self.messages.append({"role": "user", "content": blocks})
        return self.ask()

    def ask(self, *, store: bool = True) -> Response:
        """Asks with the conversation as it is, without streaming; `store` False loses the answer."""
        response = post(self.url, PATHS[self.protocol], self.body(), self.headers())
        if store and response.status == 200:
            if self.protocol == "openai-responses":
                self.messages += response.json["output"]
            else:
                self.messages.append(self._answer(response.json))
        return response

    def text(self) -> str:
        """The text of the last stored answer."""
        spoken = [message for message in self.messages if "content" in message]
        last = spoken[-1] if self.protocol == "openai-responses" else self.messages[-1]
        content = last.get("content")
        if isinstance(content, list):
            return "".join(block["text"] for block in content if block["type"] in ("text", "output_text"))
        return content or ""

    def calls(self) -> list[dict[str, Any]]:
        """The calls of the last stored answer, as {id, name, input}."""
        message = self.messages[-1]
        if self.protocol == "openai-responses":
            items = [item for item in self.messages if item.get("type") == "function_call"]
            done = {item.get("call_id") for item in self.messages if "output" in item}
            return [
                {"id": item["call_id"], "name": item["name"], "input": json.loads(item["arguments"])}
                for item in items
                if item["call_id"] not in done
            ]
        if self.protocol == "openai":
            return [
                {
                    "id": call["id"],
                    "name": call["function"]["name"],
                    "input": json.loads(call["function"]["arguments"]),
                }
                for call in message.get("tool_calls", [])
            ]
        return [block for block in message["content"] if block["type"] == "tool_use"]

    def body(self) -> dict[str, Any]:
        """The request's body."""
        schema = {"type": "object", "properties": {"x": {"type": "string"}}}
        body: dict[str, Any] = {"model": "model-1", "max_tokens": 1000, "messages": self.messages}
        if self.protocol == "openai-responses":
            tools = [
                {"type": "function", "name": name, "parameters": schema, "strict": False}
                for name in self.tools
            ]
            asked = {"model": "model-1", "max_output_tokens": 1000, "store": False, "tools": tools}
            return {**asked, "instructions": "You work.", "input": self.messages, **self.extra}
        if self.protocol == "openai":
            system = {"role": "system", "content": "You work."}
            body["messages"] = [system, *self.messages]
            functions = [
                {"name": name, "description": "Does it.", "parameters": schema} for name in self.tools
            ]
            body["tools"] = [{"type": "function", "function": function} for function in functions]
        else:
            body["system"] = "You work."
            body["tools"] = [
                {"name": name, "description": "Does it.", "input_schema": schema} for name in self.tools
            ]
        return {**body, **self.extra}

    def headers(self) -> dict[str, str]:
        """The request's headers."""
        named = {
            "x-roocode-agent": self.name,
            "x-roocode-session": self.session,
            "x-roocode-team": self.team,
            "x-roocode-break": self.breaks,
        }
        own = {key: value for key, value in named.items() if value}
        return {"anthropic-version": "2023-06-01", **own}

    def _answer(self, body: Any) -> dict[str, Any]:
        if self.protocol == "openai":
            message = body["choices"][0]["message"]
            return {key: value for key, value in message.items() if value is not None}
        return {"role": "assistant", "content": body["content"]}
