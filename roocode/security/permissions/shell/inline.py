"""Code in another language inside a command (`python -c`, `perl -e`): what it would run, delete or load.

It is cut into names, strings and marks, never judged as text: a string counts as a command only inside a call
that runs one.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.code_tokens import Token, code_tokens
from roocode.security.permissions.shell.options import parse_options
from roocode.security.permissions.shell.programs import base_name, is_interpreter, is_shell, names
from roocode.security.permissions.shell.values import Fields, Value, laid_together
from roocode.security.permissions.shell.word_lists import is_list_of_words, names_no_shell, started

_RUNS = names(
    "system popen popen2 popen3 popen4 execl execle execlp execv execve execvp execvpe execSync execFile "
    "execFileSync spawnSync spawnlp spawnvp spawnl spawnv posix_spawn check_call check_output Popen "
    "getoutput getstatusoutput shell_exec passthru proc_open pcntl_exec capture2 capture2e capture3 "
    "create_subprocess_shell create_subprocess_exec fork_exec"
)
_MAY_RUN = names("run call exec spawn execute script Command syscall")
_EVALUATES = names(
    "eval exec compile Function instance_eval class_eval module_eval runInThisContext runInNewContext "
    "loadstring load assert create_function execfile __import__ require import_module exec_module"
)
_EVALUATES_TEXT = _EVALUATES - names("require __import__ import_module")
_NETWORK = names(
    "urlopen urlretrieve requests httpx aiohttp urllib urllib2 urllib3 http https fetch axios got "
    "superagent Net URI LWP HTTP curl_exec file_get_contents open_uri socket create_connection TCPSocket "
    "net XMLHttpRequest get_url"
)
_DELETES = names(
    "rmtree rmSync rmdirSync rimraf rimrafSync rm_rf rm_r rmtree_f remove_tree remove_dir remove_dir_all "
    "rm removeAll remove_entry remove_entry_secure emptyDirSync emptyDir removeSync delete_recursive "
    "removedirs"
)
_WRITES = names(
    "writeFile writeFileSync write_text write_bytes file_put_contents createWriteStream truncate "
    "truncateSync unlink unlinkSync remove copyfile copyFileSync symlink rename renameSync move"
)
_OPENS = names("open fopen openSync sysopen fdopen")
_LOOPS = names("while loop until iter cycle repeat setInterval forever count")
_DECODES = names(
    "b64decode decodebytes a85decode b32decode b16decode unhexlify fromhex atob decode_base64 Buffer "
    "unpack pack base64_decode hex2bin decode64 strict_decode64 urlsafe_decode64"
)
_REVERSES = names("reverse reversed strrev")
_ACTS = _RUNS | _MAY_RUN | _EVALUATES | _DELETES | _WRITES | _OPENS
_MOST_CALLS = 60
_HOME = names("HOME homedir home expanduser Home")
_DEEPEST = 4


@dataclass(slots=True)
class Inline:
    """What code does: shell `lines` that it runs, paths that it deletes or writes; and its `strings`.

    `runs_input`: what it reads becomes a command.
    """

    lines: list[str] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    deletes: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    evaluates_network: bool = False
    network: bool = False
    forks_without_end: bool = False
    kills_all: bool = False
    runs_input: bool = False


_CODE_OPTIONS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "python": (names("-c"), names("-c -W -X -m -Q")),
    "pypy": (names("-c"), names("-c -W -X -m")),
    "ipython": (names("-c"), names("-c")),
    "perl": (names("-e -E"), names("-e -E -M -m -I -C -F -i -x")),
    "ruby": (names("-e"), names("-e -r -I -E -C -F -K")),
    "node": (names("-e -p --eval --print"), names("-e -p -r --eval --print --require --import")),
    "nodejs": (names("-e -p --eval --print"), names("-e -p -r --eval --print --require")),
    "bun": (names("-e -p --eval --print"), names("-e -p --eval --print")),
    "php": (names("-r -B -R -E"), names("-r -B -R -E -d -c -f")),
    "lua": (names("-e"), names("-e -l")),
    "luajit": (names("-e"), names("-e -l")),
    "osascript": (names("-e"), names("-e -l -s")),
    "rscript": (names("-e"), names("-e")),
    "julia": (names("-e -E --eval"), names("-e -E --eval -p -t -L")),
    "groovy": (names("-e"), names("-e")),
    "elixir": (names("-e --eval"), names("-e --eval -r")),
    "swift": (names("-e"), names("-e")),
    "erl": (names("-eval"), names("-eval")),
    "guile": (names("-c"), names("-c")),
    "ghc": (names("-e"), names("-e")),
    "tclsh": (frozenset(), frozenset()),
}
_AWKS = names("awk gawk mawk nawk")
_AWK_VALUES = names("-F -v -f -e -i -l -E --file --assign --field-separator --source --include --load")


def code_of(call: Call, read: Callable[[Fields], Value]) -> Value:
    """The code that an interpreter is given: as an argument, on its input, or in a file of the line.

    `read(paths)` says what may be in files.
    """
    if not is_interpreter(call.name):
        return ()
    if call.name in _AWKS:
        parsed = parse_options(call.arguments, _AWK_VALUES)
        inline = parsed.values("-e", "--source")
        files = parsed.values("-f", "--file")
        if files and files[0].text in ("-", "/dev/stdin"):
            return call.stdin
        return tuple(inline) or (read(tuple(files)) if files else tuple(parsed.operands[:1]))
    known = _CODE_OPTIONS.get(call.name) or _CODE_OPTIONS.get(call.name.rstrip("0123456789.-"))
    giving, with_value = known or (frozenset(), frozenset())
    parsed = parse_options(call.arguments, with_value, leading=True)
    code = parsed.values(*giving)
    if code:
        return (laid_together(code, "\n"),)
    if call.name in ("deno", "bun") and parsed.operands and parsed.operands[0].text == "eval":
        return tuple(parsed.operands[1:2])
    if call.name in ("deno", "bun") and parsed.operands and parsed.operands[0].text == "run":
        return read(tuple(parse_options(tuple(parsed.operands[1:])).operands[:1]))
    if parsed.has("-m", "--version", "--help", "-V", "-v") and not parsed.operands:
        return ()
    operands = [operand.text for operand in parsed.operands]
    return call.stdin if operands[:1] in ([], ["-"], ["/dev/stdin"]) else read(tuple(parsed.operands[:1]))


def inspect(code: str, *, backticks_run: bool = True, depth: int = 0) -> Inline:
    """What the code does, as far as its calls name it; in JavaScript, backticks are a string."""
    tokens = code_tokens(code, backticks_run)
    words = {token.text for token in tokens if token.kind == "name"}
    packed = _packed(tokens)
    disguised = _disguised_strings(tokens, words, packed)
    strings = [token.text for token in tokens if token.kind in ("string", "command")] + disguised
    found = Inline(strings=strings)
    found.network = not _NETWORK.isdisjoint(words) or any("://" in string for string in strings)
    found.forks_without_end = _forks_without_end(words, packed)
    found.kills_all = any(call in packed for call in ("kill(-1", "kill-1", "kill9,-1", 'kill"",-1'))
    found.evaluates_network = found.network and not _EVALUATES_TEXT.isdisjoint(words)
    found.lines.extend(token.text for token in tokens if token.kind == "command")
    calls = [at for at, token in enumerate(tokens) if token.kind == "name" and token.text in _ACTS]
    if len(calls) > _MOST_CALLS:
        everything = [Token("mark", ";"), *tokens]
        _take_call(found, {tokens[at].text for at in calls}, everything, disguised, depth)
        return found
    sure = _MAY_RUN if {"subprocess", "child_process"} & words else frozenset()
    for at in calls:
        _take_call(found, {tokens[at].text}, _arguments(tokens, at + 1), disguised, depth, sure)
    return found


def _forks_without_end(words: set[str], packed: str) -> bool:
    endless = any(
        loop in packed for loop in ("for(;;)", "whileTrue", "while1", "while(1", "while(true", "iter(int")
    )
    if any(word.endswith("fork") for word in words):
        return endless or not _LOOPS.isdisjoint(words)
    starts = not {"Process", "Popen", "spawn", "Thread"}.isdisjoint(words)
    return starts and endless and {"sleep", "wait", "join", "communicate", "input"}.isdisjoint(words)


def inspect_awk(program: str) -> Inline:
    """What an `awk` program does: what stands at a `|` is a command, and behind a `>` a file."""
    found = inspect(program)
    tokens = code_tokens(program, backticks_run=False)
    found.runs_input = "system($" in _packed(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "mark" and token.text == "|":
            piped = [each.text for each in tokens[max(at - 1, 0) : at + 2] if each.kind == "string"]
            found.lines.extend(piped)
            found.runs_input = found.runs_input or any(is_shell(base_name(text)) for text in piped)
        elif token.kind == "mark" and token.text == ">":
            found.writes.extend(each.text for each in tokens[at + 1 : at + 2] if each.kind == "string")
    return found


def _take_call(
    found: Inline,
    called: set[str],
    arguments: Sequence[Token],
    disguised: list[str],
    depth: int,
    sure: frozenset[str] = _MAY_RUN,
) -> None:
    """Takes in what calls of these names do with these arguments."""
    own = [token.text for token in arguments if token.kind in ("string", "command")]
    computed = any(token.kind == "name" for token in _first(arguments)) or not own
    texts = [*own, *(found.strings if computed else disguised)]
    starts = bool(called & _RUNS or called & sure)
    listed = is_list_of_words(arguments)
    if starts and listed:
        found.lines.extend(started(own, texts))
    if starts and not (listed and names_no_shell(arguments)):
        found.lines.extend(_joinings(texts, own))
    elif called & _MAY_RUN and not starts:
        found.lines.extend(_joinings(own, own))
    if called & _EVALUATES and depth < _DEEPEST:
        for text in _joinings(texts, own):
            _merge(found, inspect(text, depth=depth + 1))
    if called & _DELETES:
        found.deletes.extend(texts)
        found.deletes.extend(["~"] if any(token.text in _HOME for token in arguments) else [])
    if called & _OPENS:
        found.writes.extend(text.lstrip(">+ ") for text in own if text.startswith((">", "+>")))
    if called & _WRITES or (called & _OPENS and any(_is_write_mode(text) for text in own)):
        found.writes.extend(own)


def _first(arguments: Sequence[Token]) -> Sequence[Token]:
    """The first of the arguments."""
    depth = 0
    for at, token in enumerate(arguments):
        if token.kind == "mark":
            depth += (token.text in "([{") - (token.text in ")]}")
            if token.text == "," and depth <= 1:
                return arguments[:at]
    return arguments


def _is_write_mode(text: str) -> bool:
    return 0 < len(text) <= 4 and bool(set(text) & set("wax+>")) and set(text) <= set("rwaxbt+>")


def _merge(found: Inline, inner: Inline) -> None:
    found.lines.extend(inner.lines)
    found.deletes.extend(inner.deletes)
    found.writes.extend(inner.writes)
    found.evaluates_network = found.evaluates_network or inner.evaluates_network
    found.forks_without_end = found.forks_without_end or inner.forks_without_end
    found.kills_all = found.kills_all or inner.kills_all


def _joinings(texts: Sequence[str], own: Sequence[str]) -> list[str]:
    joined = ["".join(own), " ".join(own), "".join(texts), " ".join(texts)] if len(texts) > 1 else []
    return list(dict.fromkeys([*texts, *joined]))


def _disguised_strings(tokens: Sequence[Token], words: set[str], packed: str) -> list[str]:
    """What strings become that the code decodes or reverses."""
    strings = [token.text for token in tokens if token.kind in ("string", "command")]
    further: list[str] = []
    if not _DECODES.isdisjoint(words):
        further += [decoded for string in strings for decoded in _decoded(string)]
    if not _REVERSES.isdisjoint(words) or "[::-1]" in packed:
        further += [string[::-1] for string in strings]
    return further


def _decoded(text: str) -> list[str]:
    found: list[str] = []
    for decode in (base64.b64decode, bytes.fromhex, base64.b32decode):
        try:
            found.append(decode(text).decode("utf-8"))
        except (ValueError, binascii.Error):
            continue
    return found


def _packed(tokens: Sequence[Token]) -> str:
    return "".join(token.text if token.kind in ("mark", "name") else '""' for token in tokens)


def _arguments(tokens: Sequence[Token], at: int) -> list[Token]:
    """The tokens of a call's arguments: in parentheses, or up to the end of the statement."""
    found: list[Token] = []
    if at < len(tokens) and tokens[at].text == "(" and tokens[at].kind == "mark":
        depth = 0
        for token in tokens[at:]:
            depth += (token.kind == "mark") * ((token.text in "([{") - (token.text in ")]}"))
            if not depth:
                break
            found.append(token)
        return found
    for token in tokens[at:]:
        if token.kind == "mark" and token.text in ";\n})":
            break
        found.append(token)
    return found
