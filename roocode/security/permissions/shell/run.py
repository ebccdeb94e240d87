"""Follows a line without running it: every command that it would start, with what is known of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from roocode.protocol.frozen import frozen
from roocode.security.permissions.shell.builtins import DECLARES, apply_builtin, resolve
from roocode.security.permissions.shell.calls import Call, Code, Program, Setting
from roocode.security.permissions.shell.channels import copy_files, open_channels, read_file, write_files
from roocode.security.permissions.shell.endless import spawns_without_end
from roocode.security.permissions.shell.expand import Expander
from roocode.security.permissions.shell.flat import assigned
from roocode.security.permissions.shell.inline import code_of
from roocode.security.permissions.shell.opened import opened
from roocode.security.permissions.shell.outputs import written_by
from roocode.security.permissions.shell.patterns import matches
from roocode.security.permissions.shell.pieces import DEEPEST, TooDeep, is_name
from roocode.security.permissions.shell.programs import DESTRUCTIVE, base_name
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
    Parameter,
    Pipeline,
    ProcessSubstitution,
    Simple,
    Test,
    Text,
    Word,
)
from roocode.security.permissions.shell.syntax import (
    Sequence as Line,
)
from roocode.security.permissions.shell.values import (
    ANYTHING,
    EMPTY,
    UNKNOWN,
    Field,
    Fields,
    Value,
    either,
    products,
    unset,
)

MOST_STEPS = 20_000
"""Commands that are followed: no line that anybody needs runs more, and each takes about 0.1 ms here."""


class TooIntricate(ValueError):
    """The line grows when it runs: more than MOST_STEPS commands."""


@frozen
class Running:
    """A function or file that is being followed, with the forks and background jobs around its start."""

    name: str
    body: int | str
    forks: int
    beside: int


@frozen
class Context:
    """Where a command stands: what is around it, its input, and what is being run, to see what calls itself.

    `forks` counts pipelines and background jobs around it, `beside` the latter alone. `network`: the text that it
    stands in came from another machine.
    """

    inside: tuple[str, ...] = ()
    stdin: Value = ANYTHING
    guess: bool = False
    key: tuple[object, ...] = ()
    running: tuple[Running, ...] = ()
    forks: int = 0
    beside: int = 0
    network: bool = False


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
        self._sinks: dict[str, str] = {}
        self._recursions: dict[int | str, set[tuple[object, ...]]] = {}

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
        if spawns_without_end(loop):
            self.alarms.append("a fork bomb: a loop without end starts processes beside it")
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
        body = state.functions[name]
        running = Running(name, id(body), context.forks, context.beside)
        if self._runs_itself(running, context):
            return ANYTHING
        with self._deeper():
            return self.node(body, state, replace(context, running=(*context.running, running)))

    def _runs_itself(self, running: Running, context: Context) -> bool:
        """Whether this is running already; alarms where it goes on beside itself, or forks at two places."""
        entered = next((each for each in context.running if each.body == running.body), None)
        if entered is None:
            return False
        places = self._recursions.setdefault(running.body, set())
        places.add(context.key)
        if context.beside > entered.beside or (context.forks > entered.forks and len(places) > 1):
            self.alarms.append(f"a fork bomb: {running.name} starts itself again and again")
        return True

    # Simple commands

    def _simple(self, simple: Simple, state: State, context: Context) -> Value:
        expander = self._expander(state, context)
        settings = tuple(self._setting(assignment, state, expander) for assignment in simple.assignments)
        ways = _ways([expander.fields(word) for word in simple.words])
        channels = open_channels(simple.redirects, state, expander.value)
        stdin = context.stdin if channels.stdin is None else channels.stdin
        if channels.network:
            stdin = either(stdin, (Field(UNKNOWN, network=True),))
        here = replace(context, stdin=stdin, key=(*context.key, id(simple)))
        call = Call(
            here.key,
            (),
            tuple(word.source if word.literal is None else word.literal for word in simple.words),
            context.inside,
            state.cwds,
            stdin,
            channels.targets,
            settings,
            plain=all(word.literal is not None for word in _words(simple)),
            quiet=all(_is_quiet(word) for word in _words(simple)),
        )
        inner = _with_settings(state, settings) if simple.words else state
        written: Value = ()
        for argv in ways:
            guessed = context.guess or any(field.guessed for field in argv)
            written = either(written, self._call(replace(call, argv=argv, guess=guessed), inner, here))
        self._apply(simple, ways, settings, state, expander, stdin)
        write_files(channels.targets, written, state)
        fed = [field for way in ways for field in way] + [target.path for target in channels.targets]
        self._feed(fed, state, replace(here, stdin=either(written, stdin)))
        return written

    def _apply(
        self,
        simple: Simple,
        ways: Sequence[Fields],
        settings: Sequence[Setting],
        state: State,
        expander: Expander,
        stdin: Value,
    ) -> None:
        """Does to the state what assignments and builtins do."""
        if not simple.words:
            state.variables.update((setting.name, setting.value) for setting in settings)
        elif simple.words[0].literal in DECLARES:
            declared = [assigned(word) for word in simple.words[1:]]
            for assignment in declared:
                if assignment:
                    state.variables[assignment.name] = self._setting(assignment, state, expander).value
        apply_builtin(ways, state, stdin)

    def _setting(self, assignment: Assignment, state: State, expander: Expander) -> Setting:
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
            value = _concatenated([state.value(name), value])
        return Setting(name, value, assignment.value.literal is not None)

    def _call(self, call: Call, state: State, context: Context) -> Value:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooIntricate

        def read(paths: Fields) -> Value:
            return read_file(paths, state)

        if code := code_of(call, read):
            call = replace(call, code=code)
        self.calls.append(call)
        if not call.argv:
            self._open(call, state, context)
            return EMPTY
        written = [self._defined(call, state, context)] if call.argv[0].text in state.functions else []
        self._check_source(call.argv[0], context)
        self._disguises(call, state, context)
        written.append(self._open(call, state, context))
        written.append(written_by(call, read))
        copy_files(call, state)
        return either(*written)

    def _defined(self, call: Call, state: State, context: Context) -> Value:
        """Runs a function of the line; the program of that name is looked at too, lest it was not defined."""
        name = call.argv[0].text
        inner = state.copy()
        inner.arguments, inner.open = call.arguments, False
        return self._call_function(name, inner, replace(context, inside=(*context.inside, f"{name}()")))

    def _check_source(self, program: Field, context: Context) -> None:
        if UNKNOWN not in program.text:
            return
        if program.network or context.network:
            self.alarms.append("runs what another machine sends")
        elif program.hidden:
            self.alarms.append("runs text that is hidden by an encoding")
        elif program.endless:
            self.alarms.append("runs one of too many possible programs to follow")

    def _disguises(self, call: Call, state: State, context: Context) -> None:
        """Takes a program's name that is a pattern, or not all known, for each destructive one that it may be."""
        program = call.argv[0]
        if UNKNOWN not in program.text and not program.live:
            return
        pattern = base_name(program.text.replace(UNKNOWN, "*"))
        if not pattern.strip("*?"):
            names = ["rm"] if any(_is_forced(text) for text in call.texts) else []
        else:
            names = [name for name in DESTRUCTIVE if matches(name, pattern)]
        for name in names:
            argv = (Field(name, program.spelling), *call.arguments)
            self._call(replace(call, argv=argv, guess=True), state, context)

    def _open(self, call: Call, state: State, context: Context) -> Value:
        written: list[Value] = []
        with self._deeper():
            for position, each in enumerate(opened(call, lambda paths: read_file(paths, state))):
                guess = context.guess or call.guess or each.guess
                inner = Context(
                    (*call.inside, each.label),
                    call.stdin if each.stdin is None else each.stdin,
                    guess,
                    (*call.key, position),
                    context.running,
                    context.forks,
                    context.beside,
                )
                if isinstance(each, Program):
                    written.append(self._program(each, call, state, inner))
                else:
                    written.append(self._code(each, state, inner))
        return either(*written)

    def _program(self, program: Program, call: Call, state: State, context: Context) -> Value:
        if not program.argv:
            return EMPTY
        if program.directory:
            state = state.copy()
            state.change_directory([resolve(program.directory.text, state.cwd)])
        inner = Call(
            context.key,
            program.argv,
            tuple(field.spelling or field.text for field in program.argv),
            context.inside,
            state.cwds,
            context.stdin,
            settings=call.settings,
            guess=context.guess,
            plain=call.plain,
            quiet=call.quiet,
        )
        return self._call(inner, _without_functions(state), context)

    def _code(self, code: Code, state: State, context: Context) -> Value:
        inner = state
        if not code.here:
            inner = _without_functions(state)
            inner.arguments, inner.name = code.arguments, code.name
        texts = read_file(code.text, state) if code.file else code.text
        written: list[Value] = []
        for text in texts:
            if text.text.strip(UNKNOWN + " \n") or UNKNOWN not in text.text:
                source = replace(context, network=context.network or text.network)
                written.append(self._script_or_file(text.text, code, inner, source))
            else:
                self._check_source(text, context)
        return either(ANYTHING if not written else (), *written)

    def _script_or_file(self, text: str, code: Code, state: State, context: Context) -> Value:
        if not code.file:
            return self.script(text, state, context)
        name = code.text[0].text
        running = Running(name, name, context.forks, context.beside)
        if self._runs_itself(running, context):
            return ANYTHING
        return self.script(text, state, replace(context, running=(*context.running, running)))

    def _feed(self, fields: Sequence[Field], state: State, context: Context) -> None:
        """Runs the scripts of `>(…)` that a command writes to."""
        for field in fields:
            script = self._sinks.pop(field.text, None)
            if script is not None:
                self.script(script, state.copy(), replace(context, inside=(*context.inside, ">()")))

    def _expander(self, state: State, context: Context) -> Expander:
        inside = replace(context, inside=(*context.inside, "$()"))

        def output_of(script: str) -> Value:
            return self.script(script, state.copy(), inside)

        def channel_of(piece: ProcessSubstitution) -> Field:
            self._channels += 1
            path = f"/dev/fd/roocode-{self._channels}"
            if piece.reads:
                around = replace(context, inside=(*context.inside, "<()"))
                state.files[path] = self.script(piece.script, state.copy(), around)
            else:
                self._sinks[path] = piece.script
            return Field(path)

        return Expander(state, output_of, channel_of)


def _ways(choices: Sequence[Sequence[Fields]]) -> list[Fields]:
    """The argument lists that the words may become; where they are too many, one with all arguments of all ways."""
    found = products(choices)
    if len(found) == 1 and any(field.endless for field in found[0]) and choices:
        everything = [field for ways in choices[1:] for way in ways for field in way]
        return [(*program, *everything) for program in choices[0]]
    return list(dict.fromkeys(found)) or [()]


def _words(simple: Simple) -> list[Word]:
    """Every word of a command that is expanded."""
    return [
        *simple.words,
        *(redirect.target for redirect in simple.redirects),
        *(assignment.value for assignment in simple.assignments),
    ]


def _is_quiet(word: Word) -> bool:
    """Whether nothing but text and plain variables stands in it."""
    return all(
        isinstance(piece, Text) or (isinstance(piece, Parameter) and _is_plain(piece)) for piece in word.pieces
    )


def _is_plain(piece: Parameter) -> bool:
    return is_name(piece.expression) or piece.expression in ("?", "#", "@", "*") or piece.expression.isdigit()


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


def _concatenated(values: Sequence[Value]) -> Value:
    """What streams written one after another may hold."""
    written = [value for value in values if value not in (EMPTY, ())]
    if not written:
        return EMPTY
    joined: list[Field] = []
    for way in products([[(field,) for field in value] for value in written]):
        field = way[0]
        for each in way[1:]:
            field = field.joined(each)
        joined.append(field)
    return either(tuple(joined))


def _is_forced(text: str) -> bool:
    return text.startswith("-") and not text.startswith("--") and {"r", "f"} <= set(text.lower())
