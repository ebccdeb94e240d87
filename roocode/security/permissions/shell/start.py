"""Follows simple commands: expands their words, and opens the programs that start others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from roocode.security.permissions.shell.builtins import DECLARES, apply_builtin, resolve
from roocode.security.permissions.shell.calls import Call, Code, Program, Setting
from roocode.security.permissions.shell.channels import (
    Channels,
    copy_files,
    open_channels,
    read_file,
    write_files,
    written_program,
)
from roocode.security.permissions.shell.expand import Expander
from roocode.security.permissions.shell.findings import Context, Findings, Running
from roocode.security.permissions.shell.flat import assigned
from roocode.security.permissions.shell.inline import code_of
from roocode.security.permissions.shell.lookalikes import as_read
from roocode.security.permissions.shell.opened import opened
from roocode.security.permissions.shell.outputs import written_by
from roocode.security.permissions.shell.patterns import matches
from roocode.security.permissions.shell.programs import DESTRUCTIVE, base_name
from roocode.security.permissions.shell.spelling import argument_lists, spelling
from roocode.security.permissions.shell.state import State
from roocode.security.permissions.shell.syntax import (
    ArrayLiteral,
    Assignment,
    ProcessSubstitution,
    Simple,
)
from roocode.security.permissions.shell.values import (
    ANYTHING,
    EMPTY,
    UNKNOWN,
    Field,
    Fields,
    Value,
    concatenated,
    either,
)


class Follows(Protocol):
    """What follows the scripts and functions that a simple command runs."""

    findings: Findings

    def script(self, text: str, state: State, context: Context) -> Value:
        """Follows shell text and says what it may write."""
        ...

    def defined(self, name: str, state: State, context: Context) -> Value:
        """Follows a function of the line."""
        ...


class Starter:
    """Follows simple commands for one follower of lines."""

    def __init__(self, follow: Follows) -> None:
        self.follow = follow
        self.channels = 0
        self.sinks: dict[str, str] = {}

    def simple(self, simple: Simple, state: State, context: Context) -> Value:
        """Follows one simple command in all the ways in which its words may turn out."""
        expander = self.expander(state, context)
        settings = tuple(_setting(assignment, state, expander) for assignment in simple.assignments)
        turns = argument_lists([expander.fields(word) for word in simple.words])
        ways = [argv for argv, _ in turns]
        channels = open_channels(simple.redirects, state, expander.value)
        stdin = _input(channels, context)
        here = replace(context, stdin=stdin, key=(*context.key, id(simple)))
        inner = _with_settings(state, settings) if simple.words else state
        spelled, plain, quiet = spelling(simple)
        quiet = quiet and channels.known
        written: Value = ()
        for argv, guessed in turns:
            guess = context.guess or guessed
            call = Call(
                here.key, argv, spelled, context.inside, state.cwds, stdin, channels.targets, settings,
                guess, plain, quiet,
            )  # fmt: skip
            written = either(written, self._call(call, inner, here))
        if simple.words:
            _declare(simple, state, expander)
            apply_builtin(ways, state, stdin)
        else:
            state.variables.update((setting.name, setting.value) for setting in settings)
        state.variables["_"] = ways[-1][-1:] or EMPTY
        write_files(channels.targets, written, state)
        self._feed(ways, channels, state, replace(here, stdin=either(written, stdin)))
        return written

    def expander(self, state: State, context: Context) -> Expander:
        """What expands words in a state, following the substitutions in them."""

        def output_of(script: str) -> Value:
            return self.follow.script(script, state.copy(), replace(context, inside=(*context.inside, "$()")))

        def channel_of(piece: ProcessSubstitution) -> Field:
            self.channels += 1
            path = f"/dev/fd/roocode-{self.channels}"
            if piece.reads:
                around = replace(context, inside=(*context.inside, "<()"))
                state.files[path] = self.follow.script(piece.script, state.copy(), around)
            else:
                self.sinks[path] = piece.script
            return Field(path)

        return Expander(state, output_of, channel_of)

    def _call(self, call: Call, state: State, context: Context) -> Value:
        def read(paths: Fields) -> Value:
            return read_file(paths, state)

        if code := code_of(call, read):
            call = replace(call, code=code)
        self.follow.findings.take(call)
        if not call.argv:
            self._open(call, state, context)
            return EMPTY
        written = self._defined(call, state, context)
        self.follow.findings.check_source(call.argv[0], context)
        self._disguises(call, state, context)
        opened_output = self._open(call, state, context)
        written = either(written, opened_output, written_by(call, read))
        copy_files(call, state)
        return written

    def _defined(self, call: Call, state: State, context: Context) -> Value:
        """Follows a function of the line; the program of that name is looked at as well."""
        name = call.argv[0].text
        if name not in state.functions:
            return ()
        before = state.arguments, state.open
        state.arguments, state.open = call.arguments, False
        written = self.follow.defined(name, state, context)
        state.arguments, state.open = before
        return written

    def _disguises(self, call: Call, state: State, context: Context) -> None:
        """Takes the call for what it may be in disguise.

        Look-alike letters are read as those that they look like, and a program's name that is a pattern, or
        not all known, as each destructive one that it fits.
        """
        program = call.argv[0]
        if not all(field.text.isascii() for field in call.argv) and not call.guess:
            plain = tuple(field.with_text(as_read(field.text)) for field in call.argv)
            self._call(replace(call, argv=plain, guess=True), state, context)
        if UNKNOWN not in program.text and not program.live:
            return
        pattern = base_name(program.text.replace(UNKNOWN, "*"))
        if pattern.strip("*?"):
            names = [name for name in DESTRUCTIVE if matches(name, pattern)]
        else:
            names = ["rm"] if any(_is_forced(text) for text in call.texts) else []
        for name in names:
            argv = (Field(name, program.spelling), *call.arguments)
            self._call(replace(call, argv=argv, guess=True), state, context)

    def _open(self, call: Call, state: State, context: Context) -> Value:
        starts = opened(call, lambda paths: read_file(paths, state))
        if wrote := written_program(call, state):
            starts.append(Code((wrote,), call.argv[0].text, call.arguments, file=True, guess=True))
        written: Value = ()
        for position, each in enumerate(starts):
            inner = Context(
                (*call.inside, each.label),
                call.stdin if each.stdin is None else each.stdin,
                context.guess or call.guess or each.guess,
                (*call.key, position),
                context.running,
                context.forks,
                context.beside,
            )
            with self.follow.findings.deeper():
                if isinstance(each, Program):
                    written = either(written, self._program(each, call, state, inner))
                else:
                    written = either(written, self._code(each, state, inner))
        return written

    def _program(self, program: Program, call: Call, state: State, context: Context) -> Value:
        if not program.argv:
            return EMPTY
        if program.directory:
            state = state.copy()
            state.change_directory([resolve(program.directory.text, state.cwd)])
        spelled = tuple(field.spelling or field.text for field in program.argv)
        inner = Call(
            context.key, program.argv, spelled, context.inside, state.cwds, context.stdin,
            settings=call.settings, guess=context.guess, plain=call.plain, quiet=call.quiet,
        )  # fmt: skip
        return self._call(inner, _without_functions(state), context)

    def _code(self, code: Code, state: State, context: Context) -> Value:
        inner = state
        if not code.here:
            inner = _without_functions(state)
            inner.arguments, inner.name = code.arguments, code.name
        written: Value = ()
        for text in read_file(code.text, state) if code.file else code.text:
            if UNKNOWN in text.text and not text.text.strip(UNKNOWN + " \n"):
                self.follow.findings.check_source(text, context)
                written = either(written, ANYTHING)
            else:
                source = replace(context, network=context.network or text.network)
                written = either(written, self._text(text.text, code, inner, source))
        return written or ANYTHING

    def _text(self, text: str, code: Code, state: State, context: Context) -> Value:
        if not code.file:
            return self.follow.script(text, state, context)
        name = code.text[0].text
        running = Running(name, name, context.forks, context.beside)
        if self.follow.findings.runs_itself(running, context):
            return ANYTHING
        return self.follow.script(text, state, replace(context, running=(*context.running, running)))

    def _feed(self, ways: Sequence[Fields], channels: Channels, state: State, context: Context) -> None:
        """Follows the scripts of `>(…)` that a command writes to."""
        if not self.sinks:
            return
        fields = [*(field for way in ways for field in way), *(target.path for target in channels.targets)]
        for field in fields:
            if script := self.sinks.pop(field.text, ""):
                around = replace(context, inside=(*context.inside, ">()"))
                self.follow.script(script, state.copy(), around)


def _input(channels: Channels, context: Context) -> Value:
    stdin = context.stdin if channels.stdin is None else channels.stdin
    return either(stdin, (Field(UNKNOWN, network=True),)) if channels.network else stdin


def _setting(assignment: Assignment, state: State, expander: Expander) -> Setting:
    name = assignment.name
    pieces = assignment.value.pieces
    if pieces and isinstance(pieces[0], ArrayLiteral):
        before = state.arrays.get(name, ()) if assignment.appends else ()
        state.arrays[name] = (*before, *expander.elements(pieces[0]))
        return Setting(name, state.arrays[name][:1] or EMPTY, literal=False)
    value = expander.value(assignment.value)
    if assignment.index:
        state.arrays[name] = (*state.arrays.get(name, ()), *value)
    elif assignment.appends:
        value = concatenated([state.value(name), value])
    return Setting(name, value, assignment.value.literal is not None)


def _declare(simple: Simple, state: State, expander: Expander) -> None:
    """`export a=b` and its like; `declare -n a=b` makes a another name for b."""
    if simple.words[0].literal in DECLARES:
        refers = any(word.literal == "-n" for word in simple.words)
        for assignment in filter(None, map(assigned, simple.words[1:])):
            value = _setting(assignment, state, expander).value
            if refers and value[0].text not in state.references:
                state.references[assignment.name] = value[0].text
            else:
                state.variables[assignment.name] = value


def _with_settings(state: State, settings: Sequence[Setting]) -> State:
    if not settings:
        return state
    inner = state.copy()
    inner.variables.update((setting.name, setting.value) for setting in settings)
    return inner


def _without_functions(state: State) -> State:
    inner = state.copy()
    inner.functions.clear()
    return inner


def _is_forced(text: str) -> bool:
    return text.startswith("-") and not text.startswith("--") and {"r", "f"} <= set(text.lower())
