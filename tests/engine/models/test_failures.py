from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from roocode.engine.models.failures import LONGEST_WORDS, Failures, retry_after
from roocode.protocol.errors import ProviderBusy, ProviderError, ProviderRefused, StreamCut, WindowExceeded
from tests.engine.models.wires import endpoint


def error(status: int, body: str = "", headers: dict[str, str] | None = None, **more: Any) -> ProviderError:
    failures = Failures(endpoint("openai", "https://api.example.com/v1", **more), "m-1")
    return failures.of_status(status, headers or {}, body.encode())


@pytest.mark.parametrize(
    ("status", "body", "kind", "what", "mend"),
    [
        (400, '{"error": {"message": "too hot"}}', ProviderRefused, "refuses the request (400): too hot", ""),
        (400, '{"error": "Incorrect API key"}', ProviderRefused, "refuses the key", "OPENAI_API_KEY"),
        (400, '{"error": {"code": "model_not_found", "message": "x"}}', ProviderRefused, "'m-1'", "--model"),
        (400, '{"message": "no model m-1 here"}', ProviderRefused, "does not know model", "--model"),
        (401, "", ProviderRefused, "refuses the key (401)", "OPENAI_API_KEY"),
        (402, '{"error": {"message": "Pay"}}', ProviderRefused, "credit (402): Pay", "Add credit"),
        (403, '{"detail": "region"}', ProviderRefused, "forbids this (403): region", "OPENAI_API_KEY"),
        (404, '{"error": {"message": "model: m-1"}}', ProviderRefused, "does not know model", "--model"),
        (404, "<html>nginx</html>", ProviderRefused, "nothing at this address", "base URL"),
        (404, '{"detail": "Not Found"}', ProviderRefused, "nothing at this address", "base URL"),
        (408, "", ProviderBusy, "failed (408)", "later"),
        (413, "", WindowExceeded, "too long", "compact"),
        (
            400,
            '{"error": {"message": "prompt is too long: 9 tokens > 8"}}',
            WindowExceeded,
            "too long",
            "compact",
        ),
        (400, '{"error": {"code": "context_length_exceeded"}}', WindowExceeded, "too long", "compact"),
        (400, '{"error": {"message": "a tool name is too long"}}', ProviderRefused, "refuses", ""),
        (422, "plain words", ProviderRefused, "(422): plain words", ""),
        (429, '{"error": {"message": "slow"}}', ProviderBusy, "limits requests (429): slow", "later"),
        (429, '{"error": {"code": "insufficient_quota"}}', ProviderRefused, "credit", "Add credit"),
        (500, "<html>", ProviderBusy, "failed (500)", "later"),
        (503, "[]", ProviderBusy, "overloaded", "later"),
        (529, '{"error": {"type": "overloaded_error"}}', ProviderBusy, "overloaded (529)", "later"),
        (302, "", ProviderRefused, "redirects", "base URL"),
    ],
)
def test_statuses(status: int, body: str, kind: type[ProviderError], what: str, mend: str) -> None:
    found = error(status, body)
    assert type(found) is kind
    assert found.status == status
    assert found.what.startswith("openai (https://api.example.com)")
    assert what in found.what
    assert mend in found.mend


def test_a_key_that_was_never_sent_is_said() -> None:
    assert error(401, api_key=None).mend == "No key was sent: set OPENAI_API_KEY."
    assert "providers.openai.api_key_env" in error(401, key_name="").mend


def test_no_secret_and_no_control_character_is_repeated() -> None:
    headers = {"x-gateway-key": "gw-secret"}
    found = error(
        401, '{"error": "bad key sk-very-secret gw-secret \\u001b[31mred\\u001b\\n"}', extra_headers=headers
    )
    assert "secret" not in str(found)
    assert "\x1b" not in str(found)
    assert "bad key [hidden] [hidden]" in found.what


def test_words_are_cut() -> None:
    assert len(error(400, "x" * 9000).what) < LONGEST_WORDS + 200


@pytest.mark.parametrize(
    ("payload", "kind", "status"),
    [
        ({"error": {"type": "overloaded_error", "message": "x"}}, ProviderBusy, 529),
        ({"error": {"type": "rate_limit_error", "message": "x"}}, ProviderBusy, 429),
        ({"error": {"type": "authentication_error", "message": "x"}}, ProviderRefused, 401),
        ({"error": {"type": "invalid_request_error", "message": "x"}}, ProviderRefused, 400),
        ({"error": {"code": 400, "message": "x"}}, ProviderRefused, 400),
        ({"error": {"code": 502, "message": "x"}}, ProviderBusy, 502),
        (
            {"error": {"code": "tool_use_failed", "type": "invalid_request_error", "status_code": 400}},
            ProviderBusy,
            500,
        ),
        ({"error": {"message": "x"}}, StreamCut, None),
        ({"error": "x"}, StreamCut, None),
        ({}, StreamCut, None),
    ],
)
def test_errors_inside_a_stream(
    payload: dict[str, Any], kind: type[ProviderError], status: int | None
) -> None:
    found = Failures(endpoint("openai"), "m-1").in_stream(payload)
    assert (type(found), found.status) == (kind, status)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date() -> None:
    then = datetime.now(UTC) + timedelta(minutes=5)
    found = retry_after({"retry-after": format_datetime(then, usegmt=True)})
    assert found is not None
    assert 290 < found <= 300
