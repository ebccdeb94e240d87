"""JSON, YAML, TOML and Python's indentation, by Python's own parsers: the first fault, or none."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import PurePath
from typing import Literal

from roocode.tools.syntax.fault import Fault, fault

_WITH_COMMENTS = re.compile(
    r"(tsconfig|jsconfig)(\..+)?\.json|devcontainer\.json|\.eslintrc(\.json)?|\.babelrc(\.json)?|\.swcrc"
    r"|api-extractor\.json|.+\.(jsonc|code-workspace)"
)
_COMMENT_OR_STRING = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[\]}])', re.S
)
_TOML_PLACE = re.compile(r" \(at line (\d+), column \d+\)$")
_SLOW_YAML = 100_000


def json_fault(text: str) -> Fault | None:
    """The first fault of strict JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return fault(error.lineno, error.msg)
    except RecursionError:
        return None
    return None


def lenient_json_fault(text: str) -> Fault | None:
    """The first fault of JSON with comments and commas before closing brackets."""
    return json_fault(_COMMENT_OR_STRING.sub(_blanked, text))


def may_have_comments(path: str) -> bool:
    """Whether the programs that read this JSON file take comments."""
    where = PurePath(path)
    return ".vscode" in where.parts or _WITH_COMMENTS.fullmatch(where.name) is not None


def yaml_fault(text: str) -> Fault | None:
    """The first fault of YAML, tags unresolved. Long texts are checked only by the fast parser."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if loader is yaml.SafeLoader and len(text) > _SLOW_YAML:
        return None
    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return fault(mark.line + 1 if mark else 1, str(error.problem or error.context or ""))
    except yaml.YAMLError as error:
        return fault(1, str(error).splitlines()[0])
    except RecursionError:
        return None
    return None


def toml_fault(text: str) -> Fault | None:
    """The first fault of TOML."""
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        says = _TOML_PLACE.sub("", str(error)).removesuffix(" (at end of document)")
        return fault(int(place[1]) if place else text.count("\n") + 1, says)
    except RecursionError:
        return None
    return None


def python_view(text: str) -> Fault | Literal["fine", "unsure"]:
    """What our own Python says: no fault, one of indentation, or one that a newer Python may not find."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "file", "exec", flags=0x400, dont_inherit=True)
    except IndentationError as error:
        return fault(error.lineno or 1, error.msg)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return "unsure"
    return "fine"


def _blanked(found: re.Match[str]) -> str:
    part = found[0]
    return part if part.startswith('"') else re.sub(r"[^\n]", " ", part)
