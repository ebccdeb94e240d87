"""What went wrong at an endpoint, said so that a person can mend it and a program can tell what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from roocode.engine.models.endpoint import Endpoint
from roocode.protocol.errors import ProviderBusy, ProviderError, ProviderRefused, StreamCut, WindowExceeded
from roocode.protocol.frozen import frozen

LONGEST_WORDS = 400

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")
_UNKNOWN_MODEL = {"model_not_found", "invalid_model"}
_BAD_KEY = {"invalid_api_key", "authentication_error", "invalid-api-key"}
_NO_MONEY = {"insufficient_quota", "billing_error", "billing_hard_limit_reached"}
_STATUS_OF_TYPE = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "insufficient_quota": 429,
    "invalid_prompt": 400,
    "tool_use_failed": 500,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
}
_TOO_LONG = {"context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"}
_TOO_LONG_WORDS = re.compile(
    r"prompt is too long|input is too long|(maximum|max) context length|context length exceeded"
    r"|exceeds? the (available |maximum )?context|context window|reduce the length of the (messages|prompt)"
    r"|input length and .?max_tokens.? exceed|too many (input |prompt )?tokens in"
    r"|(prompt|input|request)[^.]{0,60}token (count|limit)[^.]{0,40}exceed",
    re.IGNORECASE,
)
"""How endpoints say it that have no code for it: Anthropic, OpenAI and its likes, llama.cpp, vLLM, Google."""
_WORTH_ANOTHER_TRY = {408, 409, 425, 429}


@frozen
class Failures:
    """Makes the errors of one request: they name the endpoint and never show its key."""

    endpoint: Endpoint
    model: str

    def of_status(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """For a response that is no success; `body` is its start."""
        problem = _problem(_parsed(body))
        words = self._clean(problem.words or _plain(body))
        if 300 <= status < 400:
            return self._refused(
                f"redirects to {self._clean(headers.get('location', 'elsewhere'))}",
                status,
                self._base_url_mend,
            )
        wait = retry_after(headers)
        return self._of(status, problem.codes, words, wait)

    def in_stream(self, payload: Mapping[str, Any]) -> ProviderError:
        """For an error that came inside a stream whose status was a success."""
        problem = _problem(payload)
        words = self._clean(problem.words) or "it gave no reason"
        status = next(
            (_STATUS_OF_TYPE[code] for code in problem.codes if code in _STATUS_OF_TYPE), problem.status
        )
        if "tool_use_failed" in problem.codes:
            status = _STATUS_OF_TYPE["tool_use_failed"]
        if status is None:
            return self.cut(f"it sent an error in the middle of the answer: {words}")
        return self._of(status, problem.codes, words, None)

    def cut(self, why: str) -> StreamCut:
        """For an answer that ended before its last event."""
        return StreamCut(f"the answer of {self._name} was cut: {why}", "Nothing of it was used. Try again.")

    def unreachable(self, why: str) -> ProviderBusy:
        """For a server that could not be connected to or gave no answer."""
        mend = (
            "Start the server there"
            if self.endpoint.loopback
            else "Check the network and the proxy variables"
        )
        return ProviderBusy(
            f"{self._name} cannot be reached: {self._clean(why)}", f"{mend}, or set another base URL."
        )

    def untrusted(self, why: str) -> ProviderRefused:
        """For a certificate that this machine does not trust."""
        mend = "Point SSL_CERT_FILE at the certificate of your company's proxy."
        return self._refused(f"shows a certificate that is not trusted ({self._clean(why)})", None, mend)

    def unsendable(self, why: str) -> ProviderRefused:
        """For a request that could not be written."""
        return self._refused(f"cannot be asked: {self._clean(why)}", None, self._base_url_mend)

    def not_an_answer(self, what: str) -> ProviderRefused:
        """For a success that holds something else."""
        return self._refused(f"answers with {what}", None, self._base_url_mend)

    def endless(self, limit: int) -> ProviderRefused:
        """For an answer of more bytes than anyone wants."""
        return self._refused(
            f"sent more than {limit} bytes in one answer", None, "Set another model or provider."
        )

    def _of(self, status: int, codes: frozenset[str], words: str, wait: float | None) -> ProviderError:
        said = f": {words}" if words else ""
        if codes & _NO_MONEY or status == 402:
            return self._refused(
                f"refuses for lack of credit ({status}){said}",
                status,
                "Add credit there, or set another model.",
            )
        if status == 401 or codes & _BAD_KEY or (status == 400 and "api key" in words.lower()):
            return self._refused(f"refuses the key ({status}){said}", status, self._key_mend)
        if status == 403:
            return self._refused(f"forbids this ({status}){said}", status, self._key_mend)
        if status == 404 and "model" not in words.lower():
            return self._refused(f"has nothing at this address (404){said}", status, self._base_url_mend)
        if status == 404 or (status == 400 and (codes & _UNKNOWN_MODEL or self._names_model(words))):
            return self._refused(
                f"does not know model {self.model!r} ({status}){said}", status, self._model_mend
            )
        if status == 413 or (status < 500 and (codes & _TOO_LONG or _TOO_LONG_WORDS.search(words))):
            return WindowExceeded(
                f"{self._name} says the conversation is too long for {self.model} ({status}){said}",
                "Start a new session or compact this one.",
                status=status,
            )
        if status >= 500 or status in _WORTH_ANOTHER_TRY:
            what = (
                "limits requests" if status == 429 else "is overloaded" if status in (503, 529) else "failed"
            )
            return ProviderBusy(
                f"{self._name} {what} ({status}){said}", "Try again later.", status=status, retry_after=wait
            )
        return self._refused(f"refuses the request ({status}){said}", status, "")

    def _names_model(self, words: str) -> bool:
        return self.model in words and "model" in words.lower() and "does not support" not in words

    def _refused(self, what: str, status: int | None, mend: str) -> ProviderRefused:
        return ProviderRefused(f"{self._name} {what}", mend, status=status)

    def _clean(self, words: str) -> str:
        for secret in (self.endpoint.api_key, *self.endpoint.extra_headers.values()):
            if secret:
                words = words.replace(secret, "[hidden]")
        words = _CONTROLS.sub(" ", words).strip()
        return words if len(words) <= LONGEST_WORDS else words[:LONGEST_WORDS] + "…"

    @property
    def _name(self) -> str:
        return f"{self.endpoint.provider} ({self.endpoint.place})"

    @property
    def _key_mend(self) -> str:
        name = (
            self.endpoint.key_name
            or f"the variable that providers.{self.endpoint.provider}.api_key_env names"
        )
        return (
            f"Set {name} to a key that is valid there."
            if self.endpoint.api_key
            else f"No key was sent: set {name}."
        )

    @property
    def _base_url_mend(self) -> str:
        return f"Check the base URL of provider {self.endpoint.provider}."

    @property
    def _model_mend(self) -> str:
        return "Set another with --model provider/model-id, or `model:` in ~/.roocode/config.yaml."


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by `retry-after-ms` or `retry-after` (seconds or an HTTP date), None without them."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return float(value) * unit
    return _seconds_until(headers.get("retry-after", ""))


def _seconds_until(date: str) -> float | None:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return None
    return max(0.0, (then.astimezone(UTC) - datetime.now(UTC)).total_seconds())


@frozen
class _Problem:
    words: str
    codes: frozenset[str]
    status: int | None


def _problem(payload: Any) -> _Problem:
    """Reads the shapes in use: `{"error": {...}}`, `{"error": "text"}`, `{"message": …}`, `{"detail": …}`."""
    outer = payload if isinstance(payload, dict) else {}
    error = outer.get("error")
    inner = error if isinstance(error, dict) else outer
    words = [error, inner.get("message"), outer.get("message"), outer.get("detail")]
    numbers = [inner.get("status_code"), inner.get("code"), inner.get("status")]
    codes = [inner.get("code"), inner.get("type"), outer.get("code"), outer.get("type")]
    return _Problem(
        next((text for text in words if isinstance(text, str) and text), ""),
        frozenset(code for code in codes if isinstance(code, str)),
        next((n for n in numbers if isinstance(n, int) and 400 <= n < 600), None),
    )


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _plain(body: bytes) -> str:
    text = body.decode("utf-8", "replace").strip()
    return "" if text.startswith(("<", "{", "[")) else text
