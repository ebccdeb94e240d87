"""The OpenAI Chat Completions protocol: responses, from OpenAI and from servers that come close."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from roocode.engine.models import loose
from roocode.engine.models.call_sorter import CallSorter
from roocode.engine.models.failures import Failures
from roocode.engine.models.sse import ServerSentEvent
from roocode.protocol.messages import StopReason, Usage
from roocode.protocol.models import Finished, StreamEvent, TextDelta, ThinkingDelta, UsageReported

DONE = "[DONE]"

_STOPS: dict[str, StopReason] = {"length": "max_tokens", "content_filter": "refusal"}
_REASONING_FIELDS = ("reasoning_content", "reasoning")


class ChatParser:
    """Implements `Parser` for one Chat Completions response, of which only the first choice counts.

    The answer is settled by a finish reason and complete with `[DONE]`; either may be missing, not both.
    `saw_reasoning` learns the name of the field in which the endpoint sends reasoning.
    """

    def __init__(self, failures: Failures, saw_reasoning: Callable[[str], None] = lambda field: None) -> None:
        self._failures = failures
        self._saw_reasoning = saw_reasoning
        self._calls = CallSorter()
        self._reason = ""
        self._model = ""
        self._thought = self._refused = False
        self.settled = False
        self.complete = False

    def event(self, event: ServerSentEvent) -> Iterator[StreamEvent]:
        """What this event means."""
        if event.data.strip() == DONE:
            yield from self._finish()
            return
        try:
            chunk = json.loads(event.data)
        except (ValueError, RecursionError):
            raise self._failures.cut("an event is not JSON") from None
        if isinstance(chunk, dict):
            if chunk.get("error") or event.name == "error":
                raise self._failures.in_stream(chunk)
            yield from self._chunk(chunk)

    def whole(self, body: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """What a response means that was not streamed."""
        if not _first_choice(body.get("choices")):
            raise self._failures.not_an_answer("JSON that is no chat completion")
        yield from self._chunk(body)
        yield from self._finish()

    def end(self) -> Iterator[StreamEvent]:
        """Finishes a settled answer whose server sends no `[DONE]`; any other is cut."""
        if self.complete:
            return
        if not self.settled:
            raise self._failures.cut("it ended without a finish reason or [DONE]")
        yield from self._finish()

    def _finish(self) -> Iterator[StreamEvent]:
        self.settled = self.complete = True
        yield from self._calls.end()
        yield Finished(self._stop_reason(), self._model)

    def _chunk(self, chunk: Mapping[str, Any]) -> Iterator[StreamEvent]:
        self._model = self._model or loose.text(chunk.get("model"))
        choice = _first_choice(chunk.get("choices"))
        yield from self._delta(loose.mapping(choice.get("delta", choice.get("message"))))
        if reason := loose.text(choice.get("finish_reason")):
            self._reason, self.settled = reason, True
        for source in (chunk, loose.mapping(chunk.get("x_groq")), choice):
            if usage := _usage(loose.mapping(source.get("usage"))):
                yield UsageReported(usage)
                return

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        yield from self._reasoning(delta)
        content = delta.get("content")
        for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            yield from self._part(loose.mapping(part))
        if refusal := loose.text(delta.get("refusal")):
            self._refused = True
            yield TextDelta(refusal)
        yield from self._calls.add(delta.get("tool_calls"))

    def _part(self, part: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if part.get("type") == "thinking":
            thought = part.get("thinking")
            for piece in thought if isinstance(thought, list) else []:
                if text := loose.text(loose.mapping(piece).get("text")):
                    yield ThinkingDelta(text)
        elif text := loose.text(part.get("text")):
            yield TextDelta(text)

    def _reasoning(self, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """An empty piece counts where it is the first: endpoints want back even reasoning that is empty."""
        for field in _REASONING_FIELDS:
            text = delta.get(field)
            if isinstance(text, str) and (text or not self._thought):
                self._thought = True
                self._saw_reasoning(field)
                yield ThinkingDelta(text)
                return
        if any(delta.get(field) for field in _REASONING_FIELDS):
            return
        for detail in loose.mappings(delta.get("reasoning_details")):
            if text := loose.text(detail.get("text")) or loose.text(detail.get("summary")):
                yield ThinkingDelta(text)

    def _stop_reason(self) -> StopReason:
        """By the calls where the two disagree: servers say `stop` with calls and `tool_calls` without."""
        if self._reason in _STOPS:
            return _STOPS[self._reason]
        if not self._calls.empty:
            return "tools"
        return "refusal" if self._refused else "end"


def _first_choice(choices: Any) -> Mapping[str, Any]:
    found = [loose.mapping(choice) for choice in choices] if isinstance(choices, list) else []
    return next((choice for choice in found if choice.get("index") in (0, None)), {})


def _usage(usage: Mapping[str, Any]) -> Usage | None:
    """Cached tokens are a part of `prompt_tokens` there, and apart from `input_tokens` here."""
    prompt, output = loose.count(usage.get("prompt_tokens")), loose.count(usage.get("completion_tokens"))
    details = loose.mapping(usage.get("prompt_tokens_details"))
    cached = loose.count(details.get("cached_tokens")) or loose.count(usage.get("prompt_cache_hit_tokens"))
    read = min(cached, prompt)
    written = min(loose.count(details.get("cache_write_tokens")), prompt - read)
    return Usage(prompt - read - written, output, read, written) if prompt or output else None
