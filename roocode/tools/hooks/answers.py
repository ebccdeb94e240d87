"""What a hook says, from its exit code and output, and what several hooks say together: pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import Arguments

BLOCKED = 2
"""The exit code of a command that blocks."""

_UNHEEDED = ("sessionTitle", "watchPaths", "worktreePath", "updatedPermissions", "terminalSequence")


@frozen
class Said:
    """What one hook says. There is no "allow" in it: a hook gives no permission.

    `context` is for the model, `message` for the person. `output` stands in the place of a tool's result.
    `stop` ends the run. `fault` says why the hook did not work. `unheeded` are keys that have no effect.
    """

    refused: str = ""
    ask: str = ""
    arguments: Arguments | None = None
    context: str = ""
    message: str = ""
    output: str | None = None
    stop: str = ""
    fault: str = ""
    unheeded: tuple[str, ...] = ()


@frozen
class Outcome:
    """What all hooks of an event say together: a refusal beats a question, and that beats silence."""

    refused: str = ""
    ask: str = ""
    arguments: Arguments | None = None
    context: tuple[str, ...] = ()
    output: str | None = None
    stop: str = ""


@frozen
class Printed:
    """What a program left, or a server answered: `code` 0 is success, BLOCKED a refusal."""

    code: int
    out: str
    err: str = ""


def said_by(printed: Printed, *, text_counts: bool, failure_counts: bool = False) -> Said:
    """Reads what was printed.

    With `text_counts` plain text is told to the model; with `failure_counts` also that of a program that
    failed, as a linter does.
    """
    if printed.code == BLOCKED:
        return Said(refused=printed.err.strip() or printed.out.strip() or "blocked, without a reason")
    out = printed.out.strip()
    if out.startswith("{"):
        try:
            value = json.loads(out)
        except (ValueError, RecursionError) as error:
            return Said(fault=f"its answer is not JSON: {error}")
        if isinstance(value, dict):
            return _of_object(value)
    if printed.code == 0:
        return Said(context=out) if text_counts else Said()
    first = (printed.err.strip() or out).partition("\n")[0][:200]
    fault = f"it ended with exit code {printed.code}" + (f": {first}" if first else "")
    if failure_counts:
        return Said(context="\n".join(part for part in (out, printed.err.strip()) if part), fault=fault)
    return Said(fault=fault)


def together(said: Iterable[tuple[str, Said]]) -> tuple[Outcome, tuple[str, ...]]:
    """What hooks, by name and in order, say together, and what a person should know of it.

    The first refusal, question, rewrite and result count; a second rewrite of one input is refused.
    """
    refused = ask = stop = ""
    replaced: str | None = None
    arguments: Arguments | None = None
    rewriter = ""
    context: list[str] = []
    remarks: list[str] = []
    for name, each in said:
        refused = refused or each.refused
        ask = ask or each.ask
        stop = stop or each.stop
        if each.context:
            context.append(each.context)
        replaced = each.output if replaced is None else replaced
        if each.arguments is not None and arguments is None:
            arguments, rewriter = each.arguments, name
        elif each.arguments is not None and each.arguments != arguments:
            remarks.append(f"the hook {name} would rewrite what {rewriter} has rewritten already: refused")
    return Outcome(refused, ask, arguments, tuple(context), replaced, stop), tuple(remarks)


def verdict_in(answer: str) -> Said:
    """What an agent that judges says: `{"ok": false, "reason": "…"}`, perhaps with words around it."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        value = json.loads(answer[start : end + 1])
    except (ValueError, RecursionError):
        return Said(fault="the agent gave no verdict")
    if not isinstance(value, dict) or not isinstance(value.get("ok"), bool):
        return Said(fault="the agent gave no verdict")
    reason = _text(value, "reason")
    return Said() if value["ok"] else Said(refused=reason or "the agent says no, without a reason")


def _of_object(value: Mapping[str, Any]) -> Said:
    own = value.get("hookSpecificOutput")
    specific: Mapping[str, Any] = own if isinstance(own, Mapping) else {}
    given = specific.get("decision")
    decided: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    refused, ask = _refusal(value, specific, decided)
    stop = ""
    if value.get("continue") is False or decided.get("interrupt") is True:
        stop = _text(value, "stopReason") or refused or "a hook ended the run"
    return Said(
        refused=refused,
        ask=ask,
        arguments=_arguments(value, specific, decided),
        context="\n\n".join(
            text for text in (_text(specific, "additionalContext"), _text(value, "additionalContext")) if text
        ),
        message=_text(value, "systemMessage"),
        output=_output(specific),
        stop=stop,
        unheeded=tuple(key for key in _UNHEEDED if any(key in part for part in (value, specific, decided))),
    )


def _refusal(
    value: Mapping[str, Any], specific: Mapping[str, Any], decided: Mapping[str, Any]
) -> tuple[str, str]:
    """The refusal and the question in an answer, under each of their names."""
    verdict = _text(specific, "permissionDecision") or _text(value, "permissionDecision")
    reason = (
        _text(specific, "permissionDecisionReason")
        or _text(decided, "message")
        or _text(value, "reason")
        or "it gave no reason"
    )
    verdicts = {verdict, _text(value, "decision"), _text(decided, "behavior")}
    if verdicts & {"deny", "block"}:
        return reason, ""
    return "", reason if verdicts & {"ask", "defer"} else ""


def _arguments(*parts: Mapping[str, Any]) -> Arguments | None:
    found = (part.get("updatedInput") for part in parts)
    return next((value for value in found if isinstance(value, Mapping)), None)


def _output(specific: Mapping[str, Any]) -> str | None:
    value = specific.get("updatedToolOutput")
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
