"""Finds loops that never end and start processes beside themselves."""

from __future__ import annotations

from collections.abc import Iterator

from roocode.security.permissions.shell.syntax import (
    Background,
    Block,
    Choice,
    Function,
    Loop,
    Node,
    Pipeline,
    Sequence,
    Simple,
    Test,
)

_ALWAYS = (["true"], [":"], ["[", "1", "]"], ["test", "1"], ["/bin/true"], ["sleep", "0"])
_NEVER = (["false"], ["/bin/false"])
_PAUSES = frozenset({"wait", "sleep", "read", "break", "exit", "return", "inotifywait", "flock"})


def spawns_without_end(loop: Loop) -> bool:
    """Whether the loop has no end and starts background processes without waiting for anything."""
    if not _is_endless(loop):
        return False
    commands = list(_commands(loop.body))
    pauses = any(isinstance(each, Simple) and _program(each) in _PAUSES for each in commands)
    return not pauses and any(isinstance(each, Background) for each in commands)


def _is_endless(loop: Loop) -> bool:
    condition = loop.condition
    if loop.kind == "arithmetic":
        return isinstance(condition, Test) and "".join(condition.word.source.split(";")[1:2]).strip() in (
            "",
            "1",
        )
    if isinstance(condition, Test):
        return loop.kind == "while" and condition.word.source.strip("([ ])") == "1"
    if not isinstance(condition, Simple):
        return False
    words = [word.literal for word in condition.words]
    return words in (_ALWAYS if loop.kind == "while" else _NEVER)


def _program(simple: Simple) -> str | None:
    return simple.words[0].literal if simple.words else None


def _commands(node: Node) -> Iterator[Node]:
    """The commands of a body that the loop itself runs, and those it starts beside it as one."""
    pending = [node]
    while pending:
        each = pending.pop()
        yield each
        match each:
            case Sequence(items):
                pending.extend(items)
            case Pipeline(stages):
                pending.extend(stages)
            case Block(body):
                pending.append(body)
            case Choice():
                pending.extend((each.condition, *each.branches))
            case Loop():
                pending.extend((each.condition, each.body))
            case Simple() | Background() | Function() | Test():
                pass
