"""Reads hooks as they stand in a configuration, and says what is wrong with one and where in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, Final, cast, get_args

from roocode.security.permissions.rules import never_matches, parse_rule
from roocode.tools.hooks.conditions import Condition, read_condition
from roocode.tools.hooks.events import ABOUT_CALLS, BY_CLAUDE, EVENTS, FINAL, EventKind, event_named
from roocode.tools.hooks.expressions import ConditionFault
from roocode.tools.hooks.hook import Action, ActionKind, Hook

Path = tuple[str | int, ...]

CLAUDE: Final = "claude"
"""The one key of a hook that was read from a file for Claude; `claude.py` reads what is below it."""

LONGEST_S: Final = 3_600.0
PROMPT_S: Final = 30.0
ENDING_S: Final = 1.5
USUAL_S: Final = 600.0

_OPTIONS = ("timeout", "async", "once", "strict")
_KEYS = ("event", "if", "action", "name", "description", *_OPTIONS)
_TEXT: Mapping[ActionKind, tuple[str, bool]] = {
    "command": ("command", True),
    "http": ("url", True),
    "prompt": ("text", True),
    "hint": ("text", True),
    "block": ("message", False),
    "require_tool": ("message", False),
    "block_final": ("message", True),
    "stop": ("message", False),
    "agent": ("prompt", True),
}
"""The key that holds an action's text, and whether it must be there."""
_MORE: Mapping[ActionKind, tuple[str, ...]] = {
    "command": ("args",),
    "http": ("headers",),
    "require_tool": ("tool",),
    "agent": ("model",),
}
_BLOCKABLE = frozenset(name for name, kind in EVENTS.items() if kind.blocks)
_FIT: Mapping[ActionKind, frozenset[str]] = {
    "block": _BLOCKABLE,
    "block_final": FINAL,
    "require_tool": frozenset({"pre_tool_use", *FINAL}),
}
"""The events that an action makes sense for, where not for all."""


class HookFault(Exception):
    """What is wrong with a hook, at which key of it, and at which character of that text, from 0."""

    def __init__(self, path: Path, what: str, at: int | None = None) -> None:
        super().__init__(what)
        self.path = path
        self.what = what
        self.at = at


def read_hook(data: Mapping[str, Any], source: str) -> Hook:
    """A hook of RooCode's own configuration. Raises HookFault."""
    _known(data, _KEYS, ())
    kind = _event(data)
    action_data = _action_data(data)
    options = {**{key: data[key] for key in _OPTIONS if key in data}, **action_data}
    action = _action(action_data, kind)
    where: Path = ("action",) if action_data.keys() & set(_OPTIONS) else ()
    if options.get("async") and not action.runs:
        raise HookFault((*where, "async"), f"nobody need wait for the action {action.kind}")
    return Hook(
        name=_text(data, "name", ()) or source,
        kind=kind,
        action=action,
        source=source,
        condition=_condition(data, kind),
        timeout_s=timeout_of(options, kind, where),
        waits=not _flag(options, "async", where),
        once=_flag(options, "once", where),
        strict=_flag(options, "strict", where),
    )


def timeout_of(options: Mapping[str, Any], kind: EventKind, path: Path) -> float:
    """The seconds that a hook has; each kind of event has its own usual ones."""
    usual = {"user_prompt_submit": PROMPT_S, "session_end": ENDING_S}.get(kind.name, USUAL_S)
    value = options.get("timeout")
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_S:
        raise HookFault((*path, "timeout"), f"should be a number of seconds up to {LONGEST_S:g}")
    return float(value)


def _event(data: Mapping[str, Any]) -> EventKind:
    name = _text(data, "event", ())
    if not name:
        raise HookFault(("event",), "is missing: say when the hook fires")
    kind = event_named(name)
    if kind is None:
        near = get_close_matches(name, [*EVENTS, *BY_CLAUDE], n=1, cutoff=0.5)
        mend = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(EVENTS)}"
        raise HookFault(("event",), f"unknown event {name!r}: {mend}")
    return kind


def _condition(data: Mapping[str, Any], kind: EventKind) -> Condition | None:
    text = data.get("if")
    if text is None:
        return None
    if not isinstance(text, str):
        raise HookFault(("if",), "should be text: put the condition in quotes")
    try:
        return read_condition(text, kind)
    except ConditionFault as fault:
        raise HookFault(("if",), fault.what, fault.at) from fault


def _action_data(data: Mapping[str, Any]) -> Mapping[str, Any]:
    action = data.get("action")
    if action is None:
        raise HookFault(("action",), "is missing: say what the hook does")
    if not isinstance(action, Mapping):
        raise HookFault(("action",), "should be a mapping of keys")
    return action


def _action(data: Mapping[str, Any], event: EventKind) -> Action:
    path: Path = ("action",)
    name = _text(data, "type", path)
    kinds = get_args(ActionKind)
    if name not in kinds:
        near = get_close_matches(name, kinds, n=1, cutoff=0.5)
        mend = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(kinds)}"
        raise HookFault(
            (*path, "type"), f"unknown action {name!r}: {mend}" if name else f"is missing: {mend}"
        )
    kind = cast(ActionKind, name)
    key, needed = _TEXT[kind]
    _known(data, ("type", key, *_MORE.get(kind, ()), *_OPTIONS), path)
    if event.name not in _FIT.get(kind, EVENTS.keys()):
        raise HookFault((*path, "type"), f"{kind} has no effect at {event.name}: use it at {_places(kind)}")
    text = _text(data, key, path)
    if needed and not text.strip():
        raise HookFault((*path, key), "is missing")
    if kind == "http":
        check_url(text, (*path, key))
    return Action(
        kind,
        text,
        args=_args(data, path),
        headers=_headers(data, path),
        tool=_tool(data, path) if kind == "require_tool" else "",
        model=_text(data, "model", path),
    )


def check_url(url: str, path: Path) -> None:
    """Raises HookFault for what is no plain address of http or https."""
    from roocode.security.permissions.hosts import host_of

    if host_of(url) is None:
        raise HookFault(path, "should be an address of http or https, without credentials in it")


def _places(kind: ActionKind) -> str:
    return ", ".join(name for name in EVENTS if name in _FIT[kind])


def _args(data: Mapping[str, Any], path: Path) -> tuple[str, ...] | None:
    value = data.get("args")
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise HookFault((*path, "args"), "should be a list of texts")
    return tuple(value)


def _headers(data: Mapping[str, Any], path: Path) -> Mapping[str, str]:
    value = data.get("headers")
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
        raise HookFault((*path, "headers"), "should be a mapping of names to texts")
    return {str(name): str(each) for name, each in value.items()}


def _tool(data: Mapping[str, Any], path: Path) -> str:
    text = _text(data, "tool", path)
    if not text:
        raise HookFault((*path, "tool"), "is missing: name the tool that must have been called")
    check_rule(text, (*path, "tool"))
    return text


def check_rule(text: str, path: Path) -> None:
    """Raises HookFault for a permission rule that no call could be about."""
    rule = parse_rule(text, "deny", "user")
    if flaw := never_matches(rule):
        raise HookFault(path, flaw)


def _text(data: Mapping[str, Any], key: str, path: Path) -> str:
    value = data.get(key, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise HookFault((*path, key), "should be text: put it in quotes")
    return value


def _flag(data: Mapping[str, Any], key: str, path: Path) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise HookFault((*path, key), "should be true or false")
    return value


def _known(data: Mapping[str, Any], keys: Collection[str], path: Path) -> None:
    for key in data:
        if key not in keys:
            near = get_close_matches(str(key), keys, n=1, cutoff=0.5)
            mend = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(keys)}"
            raise HookFault((*path, str(key)), f"unknown key {str(key)!r}: {mend}")


def about_calls(kind: EventKind) -> bool:
    """Whether a permission rule can be held against an event of this kind."""
    return kind.name in ABOUT_CALLS
