"""Follows a line without running it: every command that it would start, with what is known of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from roocode.security.permissions.shell.calls import Call, Target
from roocode.security.permissions.shell.channels import open_channels, write_files
from roocode.security.permissions.shell.endless import spawns_without_end
from roocode.security.permissions.shell.findings import Context, Findings, Running
from roocode.security.permissions.shell.spelling import is_arithmetic, is_quiet
from roocode.security.permissions.shell.start import Starter
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.structure import Script, understand
from roocode.security.permissions.shell.syntax import (
    Background,
    Block,
    Choice,
    Function,
    Loop,
    Node,
    Pipeline,
    Simple,
    Test,
    Word,
)
from roocode.security.permissions.shell.syntax import Sequence as Line
from roocode.security.permissions.shell.values import ANYTHING, EMPTY, Value, concatenated, either, unset


class Follower:
    """Follows lines; what it sees stands in `findings`."""

    def __init__(self) -> None:
        self.findings = Findings()
        self._starter = Starter(self)
        self._scripts: dict[str, Script] = {}

    def script(self, text: str, state: State, context: Context) -> Value:
        """Follows shell text and says what it may write. Raises TooDeep or TooIntricate."""
        self.findings.read(text)
        if text not in self._scripts:
            self._scripts[text] = understand(text)
        script = self._scripts[text]
        if script.doubt:
            self.findings.doubts.append(script.doubt)
        with self.findings.deeper():
            return self.node(script.node, state, context)

    def node(self, node: Node, state: State, context: Context) -> Value:
        """Follows one command of any kind and says what it may write."""
        match node:
            case Simple():
                return self._starter.simple(node, state, context)
            case Line():
                return self._line(node, state, context)
            case Pipeline(stages):
                return self._pipeline(stages, state, context)
            case Background(body):
                beside = replace(context, forks=context.forks + 1, beside=context.beside + 1, stdin=EMPTY)
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
                evaluates = self._starter.expander(state, context).run_within(word.pieces)
                self._expanded((word,), state, context, quiet=not (evaluates and is_arithmetic(word)))
                return EMPTY
            case _:
                assert_never(node)

    def defined(self, name: str, state: State, context: Context) -> Value:
        """Follows a function of the line, in a state that holds its arguments."""
        body = state.functions[name]
        running = Running(name, id(body), context.forks, context.beside)
        if self.findings.runs_itself(running, context):
            return ANYTHING
        inside = (*context.inside, f"{name}()")
        with self.findings.deeper():
            return self.node(
                body, state, replace(context, inside=inside, running=(*context.running, running))
            )

    def _line(self, line: Line, state: State, context: Context) -> Value:
        """Commands in their order. A `cd` may fail: only behind `&&` is it sure that it did not."""
        written: list[Value] = []
        for position, item in enumerate(line.items):
            before = state.cwd
            written.append(self.node(item, state, context))
            follows = line.joins[position + 1] if position + 1 < len(line.joins) else ""
            if state.cwd != before and follows != "&&" and before:
                state.perhaps = (*state.perhaps, before)
        return concatenated(written)

    def _expanded(
        self,
        words: Sequence[Word],
        state: State,
        context: Context,
        targets: Sequence[Target] = (),
        *,
        quiet: bool = True,
    ) -> None:
        """Notes what words outside of a simple command do: files they open, substitutions that run.

        What is not known in them is noted too.
        """
        quiet = quiet and all(map(is_quiet, words)) and self._are_known(words, state, context)
        if quiet and not targets:
            return
        key = (*context.key, *map(id, words))
        plain = all(word.literal is not None for word in words)
        call = Call(key, (), (), context.inside, state.cwds, context.stdin, tuple(targets))
        self.findings.take(replace(call, guess=context.guess, plain=plain, quiet=quiet))

    def _are_known(self, words: Sequence[Word], state: State, context: Context) -> bool:
        expander = self._starter.expander(state, context)
        return all(field.known for word in words for field in expander.value(word))

    def _pipeline(self, stages: Sequence[Node], state: State, context: Context) -> Value:
        written = context.stdin
        for stage in stages:
            beside = replace(context, stdin=written, forks=context.forks + 1)
            written = self.node(stage, state.copy(), beside)
        return written

    def _block(self, block: Block, state: State, context: Context) -> Value:
        inner = state.copy() if block.subshell else state
        with self.findings.deeper():
            channels = open_channels(block.redirects, state, self._starter.expander(state, context).value)
            stdin = context.stdin if channels.stdin is None else channels.stdin
            written = self.node(block.body, inner, replace(context, stdin=stdin))
        words = [redirect.target for redirect in block.redirects]
        self._expanded(words, state, context, channels.targets)
        write_files(channels.targets, written, state)
        return written

    def _choice(self, choice: Choice, state: State, context: Context) -> Value:
        expander = self._starter.expander(state, context)
        for word in choice.tested:
            expander.value(word)
        self._expanded(choice.tested, state, context)
        with self.findings.deeper():
            before = self.node(choice.condition, state, context)
            ways = [state.copy() for _ in choice.branches]
            written = [
                self.node(branch, way, context) for branch, way in zip(choice.branches, ways, strict=True)
            ]
        for way in ways:
            state.merge(way)
        return concatenated([before, either(EMPTY, *written)])

    def _loop(self, loop: Loop, state: State, context: Context) -> Value:
        """The body is followed once more where it changed what is known."""
        if loop.kind == "for":
            expander = self._starter.expander(state, context)
            items = [field for word in loop.items for way in expander.fields(word) for field in way]
            self._expanded(loop.items, state, context)
            state.variables[loop.variable] = either(tuple(items) or unset())
        if spawns_without_end(loop):
            self.findings.alarms.append("a fork bomb: a loop without end starts processes beside it")
        written: Value = EMPTY
        with self.findings.deeper():
            for _ in range(2):
                before = state.copy()
                self.node(loop.condition, state, context)
                written = self.node(loop.body, state, context)
                changed = (state.cwd, state.variables) != (before.cwd, before.variables)
                state.merge(before)
                if not changed:
                    break
        return either(written, concatenated([written, written]), EMPTY)

    def _function(self, name: str, body: Node, state: State, context: Context) -> Value:
        """A definition runs nothing, but its body is looked at, with arguments that are not known."""
        state.functions[name] = body
        inner = state.copy()
        inner.arguments, inner.open = (), True
        self.defined(name, inner, context)
        return EMPTY
