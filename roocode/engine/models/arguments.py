"""Reads the arguments of a call: once, whole, strictly."""

from __future__ import annotations

import json
from typing import Any

from roocode.protocol.messages import ToolCall

_ESCAPE = "\\u"
_AGAIN = "Send the call again with one JSON object as its arguments."


def read_call(call_id: str, name: str, raw: str) -> ToolCall:
    """The call with its arguments, or with a complaint for the model and what it sent.

    Nothing at all means an object without members. Anything but one JSON object is a complaint: a guess at
    what was meant is never run. So are NaN, a name that stands twice and half a surrogate pair.
    """
    if not raw.strip():
        return ToolCall(call_id, name, {})
    try:
        arguments = json.loads(raw, object_pairs_hook=_object, parse_constant=_no_constant)
        if _ESCAPE in raw:
            json.dumps(arguments, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        why = f"are not valid JSON ({error.msg} at line {error.lineno}, column {error.colno})"
    except UnicodeEncodeError:
        why = "hold half of a surrogate pair"
    except RecursionError:
        why = "are nested too deeply"
    except ValueError as error:
        why = f"are not valid: {error}"
    else:
        if isinstance(arguments, dict):
            return ToolCall(call_id, name, arguments)
        why = f"are a JSON {_KINDS.get(type(arguments), 'value')}, not an object"
    return ToolCall(call_id, name, None, raw, f"The arguments of {name} {why}. {_AGAIN}")


def cut_call(call_id: str, name: str, raw: str) -> ToolCall:
    """A call in whose middle the answer hit the output limit."""
    complaint = (
        f"The answer reached the output limit in the middle of this call of {name}, so it was not run. "
        "Send it again in smaller parts."
    )
    return ToolCall(call_id, name, None, raw, complaint)


def unfinished_call(call_id: str, name: str, raw: str) -> ToolCall:
    """A call that the provider began and never ended."""
    return ToolCall(
        call_id, name, None, raw, f"This call of {name} came in part only, so it was not run. {_AGAIN}"
    )


_KINDS: dict[type, str] = {
    list: "array",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"{next(name for name in names if names.count(name) > 1)!r} stands twice in one object"
        )
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
