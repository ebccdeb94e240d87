"""Follows a line without running it: every command that it would start, with what is known of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import assert_never

from roocode.security.permissions.shell.builtins import DECLARES, apply_builtin
from roocode.security.permissions.shell.calls import Call, Code, Opened, Program, Setting
from roocode.security.permissions.shell.channels import open_channels, read_file, write_files
from roocode.security.permissions.shell.expand import Expander
from roocode.security.permissions.shell.filters import filtered, input_files
from roocode.security.permissions.shell.opened import opened
from roocode.security.permissions.shell.pieces import DEEPEST, TooDeep
from roocode.security.permissions.shell.programs import NETWORK
from roocode.security.permissions.shell.repeated import search
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.structure import Script, understand
from roocode.security.permissions.shell.syntax import (
    ArrayLiteral,
    Assignment,
    Background,
    Block,
    Choice,
    Function,
    Loop,
    Node,
    Pipeline,
    ProcessSubstitution,
    Sequence as Line,
    Simple,
    Test,
)
from roocode.security.permissions.shell.values import (
    ANYTHING,
    EMPTY,
    UNKNOWN,
    Field,
    Fields,
    Value,
    either,
    from_elsewhere,
    products,
    unset,
)

MOST_STEPS = 100_000
"""Commands that are followed; a line of 128 KiB, the longest that Bash takes, has fewer unless it grows on purpose."""


class TooIntricate(ValueError):
    """The line grows when it runs: more than MOST_STEPS commands."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where a command stands: what is around it, its input, and what is being run, to see what calls itself.

    `forks` counts the processes that go on beside each other since each running function was entered.
    """

    inside: tuple[str, ...] = ()
    stdin: Value = ANYTHING
    guess: bool = False
    key: tuple[object, ...] = ()
    running: tuple[tuple[str, int], ...] = ()
    forks: int = 0


class Follower:
    """Follows lines and collects `calls`, `doubts` (why a line cannot be proven) and `alarms` (why it is refused)."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.doubts: list[str] = []
        self.alarms: list[str] = []
        self._scripts: dict[str, Script] = {}
        self._depth = 0
        self._steps = 0
        self._channels = 0

    def script(self, text: str, state: State, context: Context) -> Value:
        """Follows shell text and says what it may write. Raises TooDeep or TooIntricate."""
        if text not in self._scripts:
            self._scripts[text] = understand(text)
        script = self._scripts[text]
        if script.doubt:
            self.doubts.append(script.doubt)
        with self._deeper():
            return self.node(script.node, state, context)

    def node(self, node: Node, state: State, context: Context) -> Value:
        """Follows one command of any kind and says what it may write."""
        match node:
            case Simple():
                return self._simple(node, state, context)
            case Line(items):
                return _concatenated([self.node(item, state, context) for item in items])
            case Pipeline(stages):
                return self._pipeline(stages, state, context)
            case Background(body):
                beside = replace(context, forks=context.forks + 1, stdin=EMPTY)
                return self.node(body, state.copy(), beside)
            case Block():
                return self._block(node, state, context)
            case Choice():
                return self._choice(node, state, context)
            case Loop():
                return self._loop(node, state, context)
            case Function(name, body):
                return self._function(name, body, state, context)
            case Test(word):
                self._expander(state, context).run_within(word.pieces)
                return EMPTY
            case _:
                assert_never(node)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep
        try:
            yield
        finally:
            self._depth -= 1

    # Compound commands

    def _pipeline(self, stages: Sequence[Node], state: State, context: Context) -> Value:
        written = context.stdin
        for stage in stages:
            beside = replace(context, stdin=written, forks=context.forks + 1)
            written = self.node(stage, state.copy(), beside)
        return written

    def _block(self, block: Block, state: State, context: Context) -> Value:
        inner = state.copy() if block.subshell else state
        with self._deeper():
            expander = self._expander(state, context)
            channels = open_channels(block.redirects, state, expander.value)
            stdin = context.stdin if channels.stdin is None else channels.stdin
            written = self.node(block.body, inner, replace(context, stdin=stdin))
        if channels.targets:
            key = (*context.key, id(block))
            self.calls.append(
                Call(key, (), (), context.inside, state.cwds, stdin, channels.targets, guess=context.guess)
            )
        write_files(channels.targets, written, state)
        return written

    def _choice(self, choice: Choice, state: State, context: Context) -> Value:
        expander = self._expander(state, context)
        for word in choice.tested:
            expander.value(word)
        with self._deeper():
            before = self.node(choice.condition, state, context)
            ways = [state.copy() for _ in choice.branches]
            written = [
                self.node(branch, way, context) for branch, way in zip(choice.branches, ways, strict=True)
            ]
        for way in ways:
            state.merge(way)
        return _concatenated([before, either(EMPTY, *written)])

    def _loop(self, loop: Loop, state: State, context: Context) -> Value:
        if loop.kind == "for":
            expander = self._expander(state, context)
            items = [field for word in loop.items for way in expander.fields(word) for field in way]
            state.variables[loop.variable] = either(tuple(items) or unset())
        with self._deeper():
            written: Value = EMPTY
            for _ in range(2):
                before = state.copy()
                self.node(loop.condition, state, context)
                written = self.node(loop.body, state, context)
                changed = (state.cwd, state.variables) != (before.cwd, before.variables)
                state.merge(before)
                if not changed:
                    break
        return either(written, _concatenated([written, written]), EMPTY)

    def _function(self, name: str, body: Node, state: State, context: Context) -> Value:
        state.functions[name] = body
        inner = state.copy()
        inner.arguments, inner.open = (), True
        self._call_function(name, inner, replace(context, inside=(*context.inside, f"{name}()")))
        return EMPTY

    def _call_function(self, name: str, state: State, context: Context) -> Value:
        forks = next((forks for running, forks in context.running if running == name), None)
        if forks is not None:
            if context.forks > forks:
                self.alarms.append(f"a fork bomb: {name} starts itself again and again")
            return ANYTHING
        with self._deeper():
            inside = replace(context, running=(*context.running, (name, context.forks)))
            return self.node(state.functions[name], state, inside)

    # Simple commands

    def _simple(self, simple: Simple, state: State, context: Context) -> Value:
        expander = self._expander(state, context)
        settings = [self._setting(assignment, state, expander) for assignment in simple.assignments]
        ways = _ways([expander.fields(word) for word in simple.words])
        channels = open_channels(simple.redirects, state, expander.value)
        spelled = tuple(word.source if word.literal is None else word.literal for word in simple.words)
        stdin = context.stdin if channels.stdin is None else channels.stdin
        if channels.network:
            stdin = either(stdin, (Field(UNKNOWN, network=True),))
        cwds = state.cwds
        inner = state
        if simple.words:
            inner = _with_settings(state, settings)
            apply_builtin(ways, state, stdin)
        written: list[Value] = []
        for argv in ways:
            call = Call(
                (*context.key, id(simple)),
                argv,
                spelled,
                context.inside,
                cwds,
                stdin,
                channels.targets,
                tuple(settings),
                guess=context.guess or any(field.guessed for field in argv),
                plain=all(word.literal is not None for word in simple.words),
            )
            written.append(self._call(call, inner, replace(context, stdin=stdin)))
        if not simple.words:
            for setting in settings:
                state.variables[setting.name] = setting.value
        result = either(*written)
        write_files(channels.targets, result, state)
        self._feed_channels((*(field for way in ways for field in way), *(t.path for t in channels.targets)), state,
                            context, either(result, stdin))
        return result

    def _setting(self, assignment: Assignment, state: State, expander: Expander) -> Setting:
        pieces = assignment.value.pieces
        if pieces and isinstance(pieces[0], ArrayLiteral):
            elements = expander.elements(pieces[0])
            before = state.arrays.get(assignment.name, ()) if assignment.appends else ()
            state.arrays[assignment.name] = (*before, *elements)
            return Setting(assignment.name, elements[:1] or EMPTY, literal=False)
        value = expander.value(assignment.value)
        if assignment.appends:
            value = _concatenated([state.value(assignment.name), value])
        if assignment.index:
            state.arrays[assignment.name] = (*state.arrays.get(assignment.name, ()), *value)
        elif assignment.name not in state.arrays:
            pass
        return Setting(assignment.name, value, assignment.value.literal is not None)
