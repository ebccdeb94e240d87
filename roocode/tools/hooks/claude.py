"""Reads the `hooks` of files that were written for Claude, with the meaning that they have there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from roocode.protocol.frozen import frozen
from roocode.tools.hooks.events import BY_CLAUDE, EVENTS, EventKind
from roocode.tools.hooks.hook import Action, Hook, Matcher
from roocode.tools.hooks.linear import PatternFault, compiled
from roocode.tools.hooks.reading import (
    CLAUDE,
    LONGEST_S,
    HookFault,
    Path,
    about_calls,
    check_rule,
    check_url,
    read_hook,
    timeout_of,
)

_PLAIN = re.compile(r"[A-Za-z0-9_ ,|-]*")
_RULE_LIKE = re.compile(r"\w+\(.*\)")
_SILENTLY = """
    type command args url headers prompt model if timeout async once statusMessage name description comment
    asyncRewake rewakeMessage rewakeSummary shell
"""
_SILENT = frozenset(_SILENTLY.split())
PLUGIN = "plugin"
"""The key of a hook in our own form that says which plugin it is of; a configuration cannot set it."""
_REWAKING = "the agent hears of it before its next request and is not woken"
_ELSEWHERE = """
    Setup UserPromptExpansion PostToolBatch MessageDisplay StopFailure InstructionsLoaded ConfigChange
    CwdChanged DirectoryAdded Elicitation ElicitationResult
"""
_NOT_HERE = frozenset(_ELSEWHERE.split())


@frozen
class Entry:
    """A hook of such a file: where in it, and what a configuration holds of it (`read_any` reads that)."""

    path: Path
    data: Mapping[str, Any]


@frozen
class Remark:
    """What of such a file is not honoured, and why. `refused`: a whole hook, not only a part of one."""

    path: Path
    why: str
    refused: bool = True


def read_any(data: Mapping[str, Any], source: str, *, own: bool = False) -> Hook:
    """A hook of either kind of file, `own` where it is the person's. Raises HookFault."""
    if CLAUDE in data:
        return replace(_hook(data[CLAUDE], source), own=own)
    plain = {key: value for key, value in data.items() if key != PLUGIN}
    return replace(read_hook(plain, source), own=own, plugin=str(data.get(PLUGIN, "")))


def entries(hooks: object, plugin: str = "") -> Iterator[Entry | Remark]:
    """The hooks in the value of the key `hooks`, in order, and what is not honoured of them.

    `plugin` is the directory of the plugin that the file is of.
    """
    if not isinstance(hooks, Mapping):
        yield Remark(("hooks",), "it is no object with a list of hooks for each event")
        return
    for name, groups in hooks.items():
        path: Path = ("hooks", str(name))
        if name not in BY_CLAUDE:
            yield Remark(path, _no_event(str(name)))
        elif not isinstance(groups, list):
            yield Remark(path, "it is no list of {matcher, hooks}")
        else:
            for index, group in enumerate(groups):
                yield from _of_group(BY_CLAUDE[name], group, (*path, index), plugin)


def _no_event(name: str) -> str:
    if name in _NOT_HERE:
        return "RooCode has no such event"
    spelled = name[:1].upper() + name[1:]
    if spelled in BY_CLAUDE:
        return f"events are written like {spelled} here: this is the spelling of another program"
    return "there is no such event"


def _of_group(kind: EventKind, group: object, path: Path, plugin: str) -> Iterator[Entry | Remark]:
    if not isinstance(group, Mapping) or not isinstance(group.get("hooks"), list):
        yield Remark(path, "it has no list `hooks`: the shape of another program")
        return
    matcher = group.get("matcher")
    for index, hook in enumerate(group["hooks"]):
        here: Path = (*path, "hooks", index)
        if not isinstance(hook, Mapping):
            yield Remark(here, "it is no object")
            continue
        data = {"event": kind.name, "matcher": matcher, "hook": dict(hook), "plugin": plugin}
        try:
            _hook(data, "")
        except HookFault as fault:
            where = (*path, *fault.path) if fault.path == ("matcher",) else (*here, *fault.path)
            yield Remark(where, fault.what)
            continue
        yield Entry(here, {CLAUDE: data})
        yield from _parts_left_out(hook, here)


def _parts_left_out(hook: Mapping[str, Any], path: Path) -> Iterator[Remark]:
    for key in hook:
        if key == "asyncRewake" and hook[key]:
            yield Remark((*path, key), _REWAKING, refused=False)
        elif key == "shell" and hook[key] not in ("bash", None):
            yield Remark((*path, key), "commands run in bash", refused=False)
        elif key not in _SILENT:
            yield Remark((*path, key), "RooCode has no such setting", refused=False)
    timeout = hook.get("timeout")
    if isinstance(timeout, int | float) and timeout > LONGEST_S:
        yield Remark((*path, "timeout"), f"it is in seconds, at most {LONGEST_S:g}", refused=False)


def _hook(data: Mapping[str, Any], source: str) -> Hook:
    kind, hook = EVENTS[data["event"]], data["hook"]
    options = dict(hook)
    timeout = options.get("timeout")
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and timeout > LONGEST_S:
        options["timeout"] = LONGEST_S
    return Hook(
        name=_name(hook, source),
        kind=kind,
        action=_action(hook),
        source=source,
        matcher=_matcher(data.get("matcher"), kind),
        rule=_rule(hook, kind),
        timeout_s=timeout_of(options, kind, ()),
        waits=hook.get("async") is not True and hook.get("asyncRewake") is not True,
        once=hook.get("once") is True,
        foreign=True,
        plugin=data.get("plugin", ""),
    )


def _name(hook: Mapping[str, Any], source: str) -> str:
    name = hook.get("name")
    return name if isinstance(name, str) and name else source


def _action(hook: Mapping[str, Any]) -> Action:
    match hook.get("type"):
        case "command":
            args = hook.get("args")
            if args is not None and not (isinstance(args, list) and all(isinstance(a, str) for a in args)):
                raise HookFault(("args",), "it is no list of texts")
            return Action("command", _needed(hook, "command"), tuple(args) if args is not None else None)
        case "http":
            url = _needed(hook, "url")
            check_url(url, ("url",))
            headers = hook.get("headers") or {}
            if not isinstance(headers, Mapping) or not all(isinstance(v, str) for v in headers.values()):
                raise HookFault(("headers",), "it is no object of texts")
            return Action("http", url, headers=dict(headers))
        case "prompt":
            return Action("agent", _needed(hook, "prompt"), model=str(hook.get("model") or ""), alone=True)
        case "agent":
            return Action("agent", _needed(hook, "prompt"), model=str(hook.get("model") or ""))
        case "mcp_tool":
            raise HookFault(("type",), "hooks that call an MCP server's tool are not run")
        case kind:
            raise HookFault(("type",), f"there is no type {kind!r}: command, http, prompt and agent are run")


def _needed(hook: Mapping[str, Any], key: str) -> str:
    text = hook.get(key)
    if not isinstance(text, str) or not text.strip():
        raise HookFault((), f"it has no text `{key}`")
    return text


def _matcher(value: object, kind: EventKind) -> Matcher:
    """Everything, a list of exact names, or a pattern that may fit anywhere: by the characters in it."""
    if value is None or value in ("", "*") or not kind.matched:
        return Matcher()
    if not isinstance(value, str):
        raise HookFault(("matcher",), "it is no text")
    if _PLAIN.fullmatch(value):
        return Matcher(frozenset(name for part in re.split(r"[|,]", value) if (name := part.strip())))
    if kind.matched == "tool" and _RULE_LIKE.fullmatch(value):
        raise HookFault(
            ("matcher",), "a matcher is a tool's name or a pattern for it, so this fits none: use `if`"
        )
    try:
        return Matcher(pattern=compiled(value))
    except PatternFault as fault:
        raise HookFault(("matcher",), f"its pattern is refused: {fault.why}") from fault


def _rule(hook: Mapping[str, Any], kind: EventKind) -> str:
    text = hook.get("if")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise HookFault(("if",), "it is no permission rule")
    if not about_calls(kind):
        raise HookFault(("if",), "a permission rule is about a call, and this event has none")
    check_rule(text, ("if",))
    return text
