"""Reads a YAML file into plain data that still knows the line of every key and item, and JSON of others.

Scalars follow the YAML 1.2 core schema, so that `no` and `12:30` stay the texts that the person
wrote; anchors, tags, duplicate keys and multiple documents are refused by name.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

KeyPath: TypeAlias = tuple[str | int, ...]
Mark: TypeAlias = tuple[int, int, str]
"""Line and column, from 0, where a text begins, and its style: plain, in quotes, or a block."""

MAX_BYTES = 1_000_000
MAX_DEPTH = 40

_STANDARD = "tag:yaml.org,2002:"
_COLLECTION_TAGS = (f"{_STANDARD}map", f"{_STANDARD}seq")
_SCALARS = ("str", "null", "bool", "int", "float", "timestamp", "merge", "value")


@frozen
class Document:
    """A file's data. `shown` is the path as people write it, `lines` the line (from 1) of each path.

    `marks` says where each text begins in `source`.
    """

    shown: str
    data: dict[str, Any] = field(default_factory=dict)
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    marks: Mapping[KeyPath, Mark] = field(default_factory=dict, repr=False)
    source: str = field(default="", repr=False)

    def at(self, path: KeyPath) -> str:
        """`file:line` of a key or item, or of the nearest part above it that has a line."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.shown}:{self.lines[path]}" if path else self.shown

    def at_character(self, path: KeyPath, text: str, offset: int) -> str:
        """`file:line:column` of a character of a text, counted from 0."""
        if path not in self.marks:
            return self.at(path)
        line, column, style = self.marks[path]
        rows = self.source.splitlines()
        if style in ("|", ">"):
            line += 1 + text.count("\n", 0, offset)
            first = next((row for row in rows[self.marks[path][0] + 1 :] if row.strip()), "")
            column = len(first) - len(first.lstrip(" ")) + offset - (text.rfind("\n", 0, offset) + 1)
        else:
            column = _passed(rows[line] if line < len(rows) else "", column, style, offset)
        return f"{self.shown}:{line + 1}:{column + 1}"


def _passed(row: str, column: int, style: str, offset: int) -> int:
    """The column behind `offset` characters of a text that begins at `column`, escapes counted as one."""
    column += bool(style)
    escape = {'"': "\\", "'": "'"}.get(style)
    for _ in range(offset):
        column += 2 if escape and row[column : column + 1] == escape else 1
    return column


def read_text(path: Path, shown: str) -> str | None:
    """The text of a regular file of at most MAX_BYTES, or None where there is none. Raises UserError.

    Never waits for a file: what is no regular one is told by its open descriptor.
    """
    try:
        raw = _content(path, shown)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{shown}: {error.strerror}", "make it a readable file, or remove it") from error
    if len(raw) > MAX_BYTES:
        raise UserError(f"{shown}: larger than {MAX_BYTES} bytes", "a configuration file is far smaller")
    return decode(raw, shown)


def _content(path: Path, shown: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UserError(f"{shown}: not a regular file", "replace it by a file, or remove it")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)


def decode(raw: bytes, shown: str) -> str:
    """The text in a file's bytes; raises UserError with the line that is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{shown}:{line}: not UTF-8", "save the file as UTF-8") from error


def parse_document(text: str, shown: str) -> Document:
    """Parses the text of a file; an empty one is an empty mapping.

    Raises UserError with file and line for what is not YAML, or not a mapping.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line + 1 if mark else 1, max(1, len(text.splitlines())))
        raise UserError(f"{shown}:{line}: not valid YAML: {error.problem}", "mend the line named") from error
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise UserError(f"{shown}: not valid YAML: {error}", "mend the file") from error
    if root is None:
        return Document(shown)
    reading = _Reading(shown)
    data = reading.value(root, ())
    if data is None:
        return Document(shown)
    if not isinstance(data, dict):
        line = root.start_mark.line + 1
        raise UserError(f"{shown}:{line}: not a mapping of keys", "write `key: value` lines")
    return Document(shown, data, reading.lines, reading.marks, text)


def parse_json(text: str) -> Any:
    """The data in JSON that others wrote, with a byte order mark or without.

    Raises ValueError with what is wrong with it, as JSONDecodeError where that has a line. Half of a
    surrogate pair, which nothing can print or store, is wrong too.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
        json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it holds half of a surrogate pair") from error
    except ValueError as error:
        raise ValueError("a number has too many digits") from error
    return data


class _Reading:
    """Turns nodes into data and collects lines."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.lines: dict[KeyPath, int] = {}
        self.marks: dict[KeyPath, Mark] = {}
        self._seen: set[int] = set()

    def value(self, node: Node, path: KeyPath) -> Any:
        """The data of a node at a path."""
        from yaml.nodes import MappingNode, ScalarNode, SequenceNode

        if len(path) > MAX_DEPTH:
            raise self._refusal(node, "nested too deeply")
        if id(node) in self._seen:
            raise self._refusal(node, "anchors and aliases are not read here", "write the value out")
        self._seen.add(id(node))
        match node:
            case ScalarNode():
                self.marks[path] = (node.start_mark.line, node.start_mark.column, node.style or "")
                return self._scalar(node)
            case SequenceNode():
                return self._sequence(node, path)
            case MappingNode():
                return self._mapping(node, path)
            case _:
                raise self._refusal(node, "neither a value, a list nor a mapping")

    def _mapping(self, node: MappingNode, path: KeyPath) -> dict[str, Any]:
        self._check_tag(node)
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key, str):
                raise self._refusal(key_node, "a key must be plain text")
            if key in data:
                raise self._refusal(key_node, f"the key {key!r} stands twice", "remove one of them")
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            data[key] = self.value(value_node, (*path, key))
        return data

    def _sequence(self, node: SequenceNode, path: KeyPath) -> list[Any]:
        self._check_tag(node)
        items: list[Any] = []
        for index, item in enumerate(node.value):
            self.lines[(*path, index)] = item.start_mark.line + 1
            items.append(self.value(item, (*path, index)))
        return items

    def _check_tag(self, node: Node) -> None:
        if node.tag not in _COLLECTION_TAGS:
            raise self._refusal(node, f"the tag {node.tag} is not read here", "remove the tag")

    def _scalar(self, node: ScalarNode) -> Any:
        kind = node.tag.removeprefix(_STANDARD)
        if kind not in _SCALARS:
            raise self._refusal(node, f"the tag {node.tag} is not read here", "remove the tag")
        text = str(node.value)
        try:
            return text if node.style else _core_value(kind, text)
        except ValueError as error:
            raise self._refusal(node, "a number has too many digits") from error

    def _refusal(self, node: Node, what: str, mend: str = "write it plainly") -> UserError:
        return UserError(f"{self.shown}:{node.start_mark.line + 1}: {what}", mend)


def _core_value(kind: str, text: str) -> Any:
    """A plain scalar by the YAML 1.2 core schema, from the kind that YAML 1.1 saw in it."""
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "int" and text.lstrip("+-").isdecimal():
        return int(text)
    if kind == "float" and "_" not in text and ":" not in text:
        try:
            return float(text)
        except ValueError:
            return text
    return text
