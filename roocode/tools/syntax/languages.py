"""Which language a file is written in, and how its syntax is checked. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen

Check: TypeAlias = Literal["tree", "brackets", "tags", "python", "json", "yaml", "toml"]
"""How a language is checked.

"tree": every error of the grammar. "brackets": only brackets that no longer match, since macros and vendors'
extensions are errors to a grammar. "python": the tree, and indentation. "tags" and the others: Python's own
parsers.
"""


@frozen
class Language:
    """A language; `module` and `function` give its grammar, where the check needs one.

    `branches`: its preprocessor may take one of two texts, so that brackets open twice. `doubt`: what tells
    for sure, where the grammar has too many false errors to be believed.
    """

    name: str
    check: Check
    module: str = ""
    function: str = "language"
    branches: bool = False
    doubt: str = ""


PYTHON = Language("Python", "python", "tree_sitter_python")
_JAVASCRIPT = Language("JavaScript", "tree", "tree_sitter_javascript")
_TYPESCRIPT = Language("TypeScript", "tree", "tree_sitter_typescript", "language_typescript")
_TSX = Language("TSX", "tree", "tree_sitter_typescript", "language_tsx")
_BASH = Language("Bash", "tree", "tree_sitter_bash", doubt="bash -n")
_RUBY = Language("Ruby", "tree", "tree_sitter_ruby")
_C = Language("C", "brackets", "tree_sitter_c", branches=True)
_CPP = Language("C++", "brackets", "tree_sitter_cpp", branches=True)
_PHP = Language("PHP", "tree", "tree_sitter_php", "language_php")
_HTML = Language("HTML", "tags")
_JSON = Language("JSON", "json")

_BY_ENDING: Mapping[str, Language] = MappingProxyType(
    {
        **dict.fromkeys((".py", ".pyi", ".pyw"), PYTHON),
        **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), _JAVASCRIPT),
        **dict.fromkeys((".ts", ".mts", ".cts"), _TYPESCRIPT),
        ".tsx": _TSX,
        ".go": Language("Go", "tree", "tree_sitter_go"),
        ".rs": Language("Rust", "tree", "tree_sitter_rust", doubt="cargo check"),
        ".java": Language("Java", "tree", "tree_sitter_java"),
        ".c": _C,
        **dict.fromkeys((".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), _CPP),
        ".cs": Language("C#", "tree", "tree_sitter_c_sharp", branches=True),
        **dict.fromkeys((".rb", ".rake", ".gemspec", ".ru"), _RUBY),
        ".php": _PHP,
        **dict.fromkeys((".sh", ".bash"), _BASH),
        **dict.fromkeys((".html", ".htm"), _HTML),
        ".css": Language("CSS", "brackets", "tree_sitter_css"),
        **dict.fromkeys((".json", ".ipynb", ".geojson", ".webmanifest", ".jsonc"), _JSON),
        **dict.fromkeys((".yaml", ".yml"), Language("YAML", "yaml")),
        ".toml": Language("TOML", "toml"),
    }
)
_BY_NAME: Mapping[str, Language] = MappingProxyType(
    {
        **dict.fromkeys(("Gemfile", "Rakefile", "Vagrantfile", "Podfile"), _RUBY),
        **dict.fromkeys((".bashrc", ".bash_profile", ".bash_aliases", "PKGBUILD"), _BASH),
        **dict.fromkeys((".babelrc", ".eslintrc", ".swcrc"), _JSON),
    }
)
_BY_PROGRAM: Mapping[str, Language] = MappingProxyType(
    {"sh": _BASH, "bash": _BASH, "dash": _BASH, "node": _JAVASCRIPT, "ruby": _RUBY, "php": _PHP}
)
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?(?:\S*/)?([A-Za-z]+)")
_FLOW = re.compile(r"@flow\b")
_HEAD = 1000


def language_of(path: str, text: str) -> Language | None:
    """The language by the file's name, or by its first line where that names none; None: not checked."""
    name = PurePath(path).name
    language = _BY_NAME.get(name) or _BY_ENDING.get(PurePath(name.lower()).suffix)
    shebang = _SHEBANG.match(text)
    if shebang and (language is None or language is _BASH):
        program = shebang[1].lower()
        return PYTHON if program.startswith("python") else _BY_PROGRAM.get(program)
    if language is _JAVASCRIPT and _FLOW.search(text[:_HEAD]):
        return _TSX
    return language
