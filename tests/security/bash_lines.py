"""Words that a real Bash may expand without harm, and lines that show what they become.

In `harmless_words` no substitution, redirection, separator or line end stands but behind a quote or backslash
of the same piece, and every piece is whole, so that each shape of line runs nothing but builtins that print.
"""

from __future__ import annotations

import shlex

from hypothesis import strategies as st

VARIABLES = {"v": "one two", "w": "", "path": "/usr/lib/a.tar.gz", "mixed": "aBcAbC", "n": "7", "w7": "x"}
"""What is assigned in front of the words; `u` is never set."""

_PLAIN = st.text("abrmfRM019_./-+:,@%^=", min_size=1, max_size=6)
_QUOTABLE = st.text("abz09 \t'\"\\$`!#&;|<>(){}[]*?~=,.-\n%é√", max_size=8)
_NAMES = st.sampled_from([*VARIABLES, "u", "HOME", "PWD", "IFS", "@", "*", "#", "1"])
_OPERANDS = st.text("ab/.*?-1c_", max_size=4)
_ESCAPES = st.sampled_from(
    ["\\n", "\\t", "\\\\", "\\'", '\\"', "\\x72", "\\x6", "\\162", "\\57", "\\u0072", "\\U0000006d", "\\e",
     "\\a", "\\cA", "\\z", "\\0", "\\x00b", "\\?", "\\xc3\\xa9", "\\777"]
)  # fmt: skip

_single = st.text('abz09 \t"\\$`!#&;|<>(){}[]*?~=\né', max_size=8).map(lambda text: f"'{text}'")
_escaped = st.sampled_from("arm $`\"'\\*?[]{}()<>|&;#!~=-/\n,é").map(lambda letter: "\\" + letter)
_ansi = st.lists(_ESCAPES | st.text("abrm /-*{}$", max_size=3), max_size=5).map(
    lambda parts: f"$'{''.join(parts)}'"
)


def _in_double_quotes(text: str) -> str:
    return "".join("\\" + letter if letter in '$`"\\' else letter for letter in text)


_plain_parameter = _NAMES.map(lambda name: f"${name}") | _NAMES.map(lambda name: f"${{{name}}}")
_operators = st.sampled_from(
    [":-", "-", ":+", "+", "#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",", ",,"]
)
_braced = st.builds("${{{}{}{}}}".format, st.sampled_from([*VARIABLES, "u"]), _operators, _OPERANDS)
_replacing = st.builds(
    "${{{}{}{}/{}}}".format, st.sampled_from(list(VARIABLES)), st.sampled_from(["/", "//"]),
    st.text("aAb.?*", min_size=1, max_size=3), st.text("xy-", max_size=2),
)  # fmt: skip
_slicing = st.builds(
    "${{{}:{}:{}}}".format, st.sampled_from(list(VARIABLES)), st.integers(0, 6), st.integers(0, 6)
)
_length = st.sampled_from(list(VARIABLES)).map(lambda name: f"${{#{name}}}")
_parameter = _plain_parameter | _braced | _replacing | _slicing | _length
_double = st.lists(_QUOTABLE.map(_in_double_quotes) | _parameter | st.just("\\\n"), max_size=4).map(
    lambda parts: f'"{"".join(parts)}"'
)
_translated = _QUOTABLE.map(_in_double_quotes).map(lambda text: f'$"{text}"')
_ranges = st.builds("{{{}..{}}}".format, st.integers(-3, 12), st.integers(-3, 12)) | st.sampled_from(
    ["{a..d}", "{d..a}", "{01..3}", "{1..10..3}", "{-01..2}", "{a..1}", "{1..}", "{..}", "{}", "{a}"]
)
_listed = st.lists(st.text("abrm-/", max_size=3) | _single | _escaped | _double, min_size=1, max_size=3).map(
    lambda parts: "{" + ",".join(parts) + "}"
)
_tilde = st.sampled_from(["~", "~/", "~/a", "~+", "a~", "a/b~", "=~", "a=~", "x=~/b", "a:~"])
_wild = st.sampled_from(["*", "?", "[a-c]", "[!x]*", "a*b", "[", "]", "**"])
_piece = (
    _PLAIN | _single | _double | _escaped | _ansi | _translated | _parameter | _ranges | _listed | _wild
    | st.sampled_from(["#", "!", "{", "}", "''", '""'])
)  # fmt: skip
_words = _tilde | st.lists(_piece, min_size=1, max_size=5).map("".join)
harmless_words = _words.filter(lambda word: not word.startswith("#"))
"""Words that Bash expands without running or writing anything."""

SETTINGS = "; ".join(f"{name}='{value}'" for name, value in VARIABLES.items())
_PRINT = "printf '%s\\0' +"

SHAPES = {
    "words": "{print} {words}",
    "arguments": 'set -- {words}; {print} "$@"',
    "function": 'f() {{ {print} "$@"; }}; f {words}',
    "array": 'a=({words}); {print} "${{a[@]}}"',
    "value": 'x={word}; {print} "$x"',
    "split value": "x={word}; {print} $x",
    "substitution": "{print} \"$(printf '%s|' {words})\"",
    "split substitution": "{print} $(printf '%s ' {words})",
    "formatted": "printf -v x '<%s>' {words}; {print} \"$x\"",
    "here-string": "IFS= read -r -d '' x <<< {word}; {print} \"$x\"",
    "again": "eval {quoted}",
}
"""Lines that show what words become, each in another place."""


def printing(words: list[str], shape: str = "words") -> str:
    """A line that shows what the words become."""
    line = SHAPES[shape].format(
        print=_PRINT, words=" ".join(words), word=words[0], quoted=shlex.quote(f"{_PRINT} {' '.join(words)}")
    )
    return f"{SETTINGS}; {line}"
