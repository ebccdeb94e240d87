"""Programs that are given a program of their own, which is read and not trusted: `sed`, `awk`, `jq`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roocode.security.permissions.effects.spec import Effect, judge, reader, take_apart
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.sed import NotSed, read_sed, sed_scripts
from roocode.security.permissions.shell.values import Field

_SED = reader(
    "-n -E -r -s -u -z -l --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix "
    "--debug --sandbox",
    "-e --expression --line-length",
    leading=("text",),
    lifts_leading=frozenset({"-e", "--expression", "-f", "--file"}),
)
_SED_WRITING = reader(
    "", "-e --expression", "-f --file", leading=("text",), operands="write",
    lifts_leading=frozenset({"-e", "--expression", "-f", "--file"}),
)  # fmt: skip
_AWK = reader(
    "-S --sandbox --posix --traditional --re-interval --characters-as-bytes",
    "-F -v --field-separator --assign",
    leading=("text",),
)
_AWK_FORBIDDEN = names(
    "system getline close ENVIRON PROCINFO ARGV ARGC FUNCTAB SYMTAB fflush include load namespace mkbool"
)
_JQ = reader(
    "-a -c -C -e -j -M -n -r -R -s -S --ascii-output --compact-output --color-output --exit-status "
    "--join-output --monochrome-output --null-input --raw-output --raw-input --raw-output0 --slurp "
    "--sort-keys --tab --seq --stream --unbuffered --version --help -h -V",
    "--indent",
    leading=("text",),
)
_YQ = reader(
    "-r -j -P -C -M -N -e -n -0 --unwrapScalar --prettyPrint --colors --no-colors --no-doc --null-input "
    "--exit-status",
    "-o -p -I --output-format --input-format --indent",
    leading=("text",),
)
_FORBIDDEN_IN_FILTERS = names(
    "env ENV import include load load_str load_xml load_props strenv envsubst eval error_env"
)


_JQ_PAIRS = names("--arg --argjson --slurpfile --rawfile")


def sed_effect(call: Call) -> Effect:
    """Only a script whose every command is known to change nothing but the text is proven."""
    writes_files = any(
        field.text.startswith(("-i", "--in-place")) or _has_inplace(field.text) for field in call.arguments
    )
    effect = judge(call, _SED_WRITING if writes_files else _SED)
    if writes_files:
        return Effect("sed: changes files in place", (*effect.reads, *effect.writes), effect.writes)
    unproven = effect.unproven
    reads, writes = list(effect.reads), list(effect.writes)
    scripts = sed_scripts(call)
    for script in scripts:
        try:
            found = read_sed(script.text)
        except NotSed as error:
            unproven = unproven or f"sed: {error}"
            continue
        reads += [Field(path) for path in found.reads]
        writes += [Field(path) for path in found.writes]
        if found.runs or found.runs_pattern_space:
            unproven = unproven or "sed: the script runs commands"
        if found.writes:
            unproven = unproven or "sed: the script writes files"
        if not script.known:
            unproven = unproven or "sed: the script is not known"
    if not scripts:
        unproven = unproven or "sed: the script is not known"
    return Effect(unproven, tuple(reads), tuple(writes))


def _has_inplace(text: str) -> bool:
    """`-i` in a cluster: `-ni`, `-Ei.bak`; not behind `-e`, whose value is the rest."""
    if not text.startswith("-") or text.startswith("--"):
        return False
    for letter in text[1:]:
        if letter in "efl":
            return False
        if letter in "iI":
            return True
    return False


def awk_effect(call: Call) -> Effect:
    """Only a program without redirection, pipe, `getline`, `system` or the environment is proven."""
    effect = judge(call, _AWK)
    parts = take_apart(call.arguments, _AWK)
    unproven = effect.unproven
    if not parts.operands or not parts.operands[0].known:
        unproven = unproven or "awk: the program is not known"
    elif trouble := awk_trouble(parts.operands[0].text):
        unproven = unproven or f"awk: {trouble}"
    reads = tuple(field for field in effect.reads if not _is_assignment(field.text))
    return Effect(unproven, reads)


def _is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()


def awk_trouble(program: str) -> str:
    """Why an awk program may do more than print, or ""."""
    tokens = _awk_tokens(program)
    if tokens is None:
        return "the program is not understood"
    depth = 0
    printing: int | None = None
    for at, word in enumerate(tokens):
        if word in ("print", "printf"):
            printing = depth
        elif word in (";", "\n", "}", "{"):
            printing = None
        depth += (word in "([") - (word in ")]") if len(word) == 1 else 0
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if word in _AWK_FORBIDDEN:
            return f"the program uses {word}"
        if word == "@" or (word == "|" and following != "|" and tokens[at - 1 : at] != ["|"]):
            return "the program runs commands"
        if word == ">" and printing is not None and depth <= printing:
            return "the program writes files"
    return ""


def _awk_tokens(program: str) -> list[str] | None:
    """Words and marks; strings, patterns and comments are left out. None where one is not closed."""
    tokens: list[str] = []
    at = 0
    while at < len(program):
        character = program[at]
        if character == "/" and not _begins_pattern(tokens):
            if set(program[at:]) & set('"#'):
                return None
            tokens.append(character)
            at += 1
        elif character in '"/':
            end = _closed(program, at)
            if end < 0:
                return None
            tokens.append('""')
            at = end
        elif character == "#":
            end = program.find("\n", at)
            at = end if end >= 0 else len(program)
        elif character.isalpha() or character == "_":
            end = at
            while end < len(program) and (program[end].isalnum() or program[end] == "_"):
                end += 1
            tokens.append(program[at:end])
            at = end
        else:
            if character not in " \t":
                tokens.append(character)
            at += 1
    return tokens


def _begins_pattern(tokens: Sequence[str]) -> bool:
    """Whether a slash surely begins a pattern here and divides nothing."""
    before = tokens[-1] if tokens else "("
    return before in (
        "(",
        ",",
        "{",
        "}",
        "!",
        "~",
        "&",
        "|",
        ";",
        "\n",
        "print",
        "return",
        "in",
        "?",
        ":",
        "=",
    )


def _closed(program: str, at: int) -> int:
    """The place behind a string or pattern; -1 where it is not closed, or where awks differ on its end."""
    mark = program[at]
    end = at + 1
    bracket = False
    while end < len(program) and program[end] != "\n":
        if program[end] == "\\":
            end += 1
        elif mark == "/" and program[end] == "[":
            if program.startswith(("[]", "[^]"), end):
                return -1
            bracket = True
        elif program[end] == "]":
            bracket = False
        elif program[end] == mark:
            return -1 if bracket else end + 1
        end += 1
    return -1


def jq_effect(call: Call) -> Effect:
    """`jq` and `yq`: only a filter that does not name the environment or other files is proven."""
    spec = _JQ if call.name == "jq" else _YQ
    arguments: list[Field] = []
    reads: list[Field] = []
    given = list(call.arguments)
    if call.name == "yq" and given and given[0].text in ("e", "eval", "ea", "eval-all"):
        given = given[1:]
    at = 0
    while at < len(given) and given[at].text not in ("--args", "--jsonargs"):
        text = given[at].text
        if text in _JQ_PAIRS:
            reads.extend(given[at + 2 : at + 3] if text in ("--slurpfile", "--rawfile") else ())
            at += 3
        else:
            arguments.append(given[at])
            at += 1
    effect = judge(_with_arguments(call, arguments), spec)
    filters = take_apart(arguments, spec).operands[:1]
    unproven = effect.unproven
    if not all(field.known for field in filters):
        unproven = unproven or f"{call.name}: the filter is not known"
    if any(_filter_names(field.text) & _FORBIDDEN_IN_FILTERS for field in filters):
        unproven = unproven or f"{call.name}: the filter reads the environment or other files"
    return Effect(unproven, (*effect.reads, *reads))


def _with_arguments(call: Call, arguments: Sequence[Field]) -> Call:
    return replace(call, argv=(call.argv[0], *arguments))


def _filter_names(text: str) -> set[str]:
    """The words of a filter that are not fields: `env` but not `.env`; inside of strings too."""
    found: set[str] = set()
    at = 0
    while at < len(text):
        if not (text[at].isalpha() or text[at] == "_"):
            at += 1
            continue
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        if text[at - 1 : at] != "." or at == 0:
            found.add(text[at:end])
        at = end
    return found


_TAR_LISTING = frozenset("tfvzjJap")
_TAR = reader(
    "-t -v -z -j -J -a -p --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --numeric-owner "
    "--full-time",
    "",
    "-f --file",
    operands="text",
)
_UNZIP = reader("-l -v -p -c -q -t -Z -1", "", operands="text", leading=("read",))


def archive_effect(call: Call) -> Effect | None:
    """Listing an archive reads it; None for what is not a listing, or may lie on another machine."""
    if call.name in ("unzip",):
        effect = judge(call, _UNZIP)
        listing = take_apart(call.arguments, _UNZIP).has("-l", "-v", "-p", "-c", "-t", "-Z")
        return effect if listing and not effect.unproven else None
    first = call.texts[0] if call.texts else ""
    arguments = call.arguments
    if first and not first.startswith("-") and set(first) <= _TAR_LISTING and "f" in first:
        arguments = (Field("-" + first.replace("f", "") + "f"), *arguments[1:])
    effect = judge(_with_arguments(call, arguments), _TAR)
    listing = take_apart(arguments, _TAR).has("-t", "--list")
    if any(":" in path.text for path in effect.reads):
        return None
    return effect if listing and not effect.unproven else None
