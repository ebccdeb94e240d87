"""Finds tools by what they are for. Pure: the same tools and words always give the same answer.

BM25F: a word counts more the rarer it is among all tools (its inverse document frequency), less with each
time it is repeated (saturation, `K`), and less in a long text than in a short one (`B`). Before that its
occurrences are weighed by where they stand: a tool's name says more than a parameter's description.

Words are what people write, split where names are built from several: `mcp__github__createIssue` is mcp,
github, create and issue. English endings fall (issues, issue). Chinese, Japanese and Korean have no blanks:
each pair of neighbouring characters is a word there. A word that only begins one of a tool's words counts
too, less.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from roocode.protocol.frozen import frozen
from roocode.protocol.tools import ToolSpec

K: Final = 1.2
B: Final = 0.75
NAME, DESCRIPTION, PARAMETER, EXPLANATION = 4.0, 1.0, 1.0, 0.5
"""What an occurrence counts in a tool's name and description, in a parameter's name and description."""
BEGINNING: Final = 0.4
"""What a word counts that only begins with one that was asked for."""
SHORTEST_BEGINNING: Final = 3
LEAST_SHARE: Final = 0.3
"""What fits less than this, beside the best, is noise: each tool that is found costs room in the window."""
LONGEST: Final = 4_000
"""Characters of a description that are looked at."""

_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DENSE = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
)
_RUNS = re.compile(rf"[{_DENSE}]+|[^\W_{_DENSE}]+")
_IS_DENSE = re.compile(rf"[{_DENSE}]")
_SAYS_NOTHING = """
    a an and any are as at be by can do for from have i in into is it me my of on or that the this to tool
    tools use want what with you
"""
_EMPTY_WORDS = frozenset(_SAYS_NOTHING.split())


@frozen
class Found:
    """What a search gave: the tools, best first, and names that were asked for and are not there.

    `close` are names that may have been meant.
    """

    tools: tuple[ToolSpec, ...] = ()
    missing: tuple[str, ...] = ()
    close: tuple[str, ...] = ()


def find(query: str, tools: Sequence[ToolSpec], most: int) -> Found:
    """What a query finds: `select:A,B` by name, all else by words, `most` tools at most."""
    by_name, wanted, names = query.strip().partition("select:")
    if wanted and not by_name:
        return _selected([name.strip() for name in names.split(",") if name.strip()], tools)
    exact = _named(query.strip(), tools)
    if exact is not None:
        return Found((exact,))
    return Found(_ranked(query, tools)[:most])


def words(text: str) -> Iterator[str]:
    """The words of a text, as they are compared."""
    text = unicodedata.normalize("NFKC", text)
    for run in _RUNS.findall(_CASES.sub(" ", text)):
        if not _IS_DENSE.match(run):
            yield _stem(run.casefold())
        elif len(run) == 1:
            yield run
        else:
            yield from (run[at : at + 2] for at in range(len(run) - 1))


def _stem(word: str) -> str:
    """A word without its English ending, where enough is left of it."""
    if not word.isascii():
        return word
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _selected(names: Sequence[str], tools: Sequence[ToolSpec]) -> Found:
    found, missing = dict[str, ToolSpec](), list[str]()
    for name in names:
        tool = _named(name, tools)
        if tool is None:
            missing.append(name)
        else:
            found[tool.name] = tool
    known = [tool.name for tool in tools]
    close = dict.fromkeys(each for name in missing for each in get_close_matches(name, known, n=3))
    return Found(tuple(found.values()), tuple(missing), tuple(close))


def _named(name: str, tools: Iterable[ToolSpec]) -> ToolSpec | None:
    """The tool of a name, or the only one whose name ends with it, whatever the case."""
    ends = f"__{name.casefold()}"
    near = []
    for tool in tools:
        if tool.name == name:
            return tool
        if f"__{tool.name.casefold()}".endswith(ends):
            near.append(tool)
    return near[0] if len(near) == 1 and name else None


def _ranked(query: str, tools: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    pieces = query.split()
    needed = {word for piece in pieces if piece.startswith("+") for word in words(piece)}
    asked = dict.fromkeys(words(query))
    asked = dict.fromkeys(word for word in asked if word not in _EMPTY_WORDS) or asked
    texts = [_weighed(tool) for tool in tools]
    scores = _scores(tuple(asked), texts)
    scored = [
        (score, tool)
        for score, tool, text in zip(scores, tools, texts, strict=True)
        if score > 0 and all(_strength(word, text) for word in needed)
    ]
    scored.sort(key=lambda each: (-each[0], each[1].name))
    return tuple(tool for score, tool in scored if score >= LEAST_SHARE * scored[0][0])


def _scores(asked: Sequence[str], texts: Sequence[Mapping[str, float]]) -> Iterator[float]:
    """BM25 of each text for the words that were asked for."""
    lengths = [math.fsum(text.values()) for text in texts]
    mean = math.fsum(lengths) / len(lengths) if lengths else 1.0
    strengths = [[_strength(word, text) for word in asked] for text in texts]
    having = [sum(1 for each in strengths if each[at]) for at in range(len(asked))]
    rarity = [math.log(1 + (len(texts) - count + 0.5) / (count + 0.5)) for count in having]
    for each, length in zip(strengths, lengths, strict=True):
        damping = K * (1 - B + B * length / (mean or 1.0))
        yield sum(
            weight * strength * (K + 1) / (strength + damping)
            for weight, strength in zip(rarity, each, strict=True)
            if strength
        )


def _strength(word: str, text: Mapping[str, float]) -> float:
    """How much a word is in a text, as itself or as the beginning of others."""
    if word in text:
        return text[word]
    if len(word) < SHORTEST_BEGINNING or not word.isascii():
        return 0.0
    return BEGINNING * sum(weight for other, weight in text.items() if other.startswith(word))


def _weighed(tool: ToolSpec) -> Mapping[str, float]:
    """The words of a tool with what they count there."""
    text: dict[str, float] = {}
    for part, weight in _parts(tool):
        for word in words(part[:LONGEST]):
            text[word] = text.get(word, 0.0) + weight
    return text


def _parts(tool: ToolSpec) -> Iterator[tuple[str, float]]:
    yield tool.name, NAME
    yield tool.description, DESCRIPTION
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    for name, schema in properties.items():
        yield name, PARAMETER
        if isinstance(schema, Mapping) and isinstance(explained := schema.get("description"), str):
            yield explained, EXPLANATION
