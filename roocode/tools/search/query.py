"""What is searched for, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Literal, TypeAlias

from roocode.protocol.frozen import frozen

Mode: TypeAlias = Literal["content", "files_with_matches", "count"]


@frozen
class Query:
    """A search for a regular expression. `only` is a file's name where a single file is searched.

    `glob` is a gitignore-style pattern, `names` are patterns for file names (of a type); both may be empty.
    """

    pattern: str
    mode: Mode = "files_with_matches"
    only: str = ""
    glob: str = ""
    names: tuple[str, ...] = ()
    ignore_case: bool = False
    multiline: bool = False
    before: int = 0
    after: int = 0


@frozen
class Line:
    """A line that was found, or one of its context; lines are counted from 1."""

    path: str
    number: int
    text: str
    matches: bool


@frozen
class Found:
    """What a search gave. In content mode `lines`, else `counts`: matching lines a file (1 where only told).

    `error` is what is wrong with the pattern; `cut`: there was more than could be taken.
    """

    lines: tuple[Line, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    cut: bool = False


TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "c": ("*.c", "*.h"),
        "cpp": ("*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp", "*.hxx", "*.h", "*.inl"),
        "cs": ("*.cs",),
        "css": ("*.css", "*.scss", "*.sass", "*.less"),
        "dart": ("*.dart",),
        "docker": ("Dockerfile*", "*.dockerfile"),
        "elixir": ("*.ex", "*.exs", "*.eex", "*.heex"),
        "go": ("*.go",),
        "haskell": ("*.hs", "*.lhs"),
        "html": ("*.html", "*.htm"),
        "java": ("*.java", "*.jsp"),
        "js": ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue"),
        "json": ("*.json", "*.jsonl", "composer.lock"),
        "kotlin": ("*.kt", "*.kts"),
        "lua": ("*.lua",),
        "make": ("Makefile*", "makefile", "GNUmakefile", "*.mk"),
        "md": ("*.md", "*.markdown", "*.mdx"),
        "php": ("*.php",),
        "proto": ("*.proto",),
        "py": ("*.py", "*.pyi"),
        "ruby": ("*.rb", "Gemfile", "Rakefile", "*.gemspec"),
        "rust": ("*.rs",),
        "scala": ("*.scala", "*.sbt"),
        "sh": ("*.sh", "*.bash", "*.zsh", ".bashrc", ".zshrc", ".profile"),
        "sql": ("*.sql",),
        "swift": ("*.swift",),
        "tf": ("*.tf", "*.tfvars"),
        "toml": ("*.toml", "Cargo.lock", "poetry.lock", "uv.lock"),
        "ts": ("*.ts", "*.tsx", "*.mts", "*.cts"),
        "txt": ("*.txt",),
        "xml": ("*.xml", "*.xsd", "*.xsl", "*.svg"),
        "yaml": ("*.yaml", "*.yml"),
        "zig": ("*.zig",),
    }
)
ALSO = MappingProxyType(
    {
        "python": "py", "typescript": "ts", "javascript": "js", "markdown": "md", "bash": "sh", "shell": "sh",
        "csharp": "cs", "rb": "ruby", "rs": "rust", "yml": "yaml", "tsx": "ts", "jsx": "js", "kt": "kotlin",
        "c++": "cpp", "golang": "go",
    }
)  # fmt: skip
"""Other names of types."""
