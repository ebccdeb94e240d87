"""Changes one key of a YAML text, or adds items to a list, and leaves every other character as it is.

Comments, order, quoting and line ends stay: the text is changed at the marks of the parsed nodes, and the
result is parsed again before anybody sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from pydantic.alias_generators import to_snake
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from roocode.interaction.config.document import parse_document
from roocode.protocol.errors import UserError

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_TAKEN = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_UNSAFE = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_STEP = 2


def set_value(text: str, key: Sequence[str], value: Any, shown: str) -> str:
    """The text with a key set. Raises UserError where the text is broken or no mapping leads to the key."""
    wanted = _with(parse_document(text, shown).data, key, value)
    return _checked(_set(text, key, _written(value), shown), wanted, shown)


def add_items(text: str, key: Sequence[str], items: Sequence[str], shown: str) -> str:
    """The text with items added to the end of a list, each once; the list is made where it is missing."""
    data = parse_document(text, shown).data
    present = _value_at(data, key)
    if present is not None and not isinstance(present, list):
        raise UserError(f"{shown}: {'.'.join(key)} is not a list", "write it as a list")
    old = present or []
    new = [item for item in dict.fromkeys(items) if item not in old]
    if not new:
        return text
    depth, node = _find(text, key)
    if old:
        changed = _appended(text, node, new)
    elif depth == len(key) and isinstance(node, SequenceNode):
        changed = _filled(text, node, ", ".join(map(_written, new)))
    else:
        changed = _set(text, key, _written(new), shown)
    return _checked(changed, _with(data, key, [*old, *new]), shown)


def remove_key(text: str, key: Sequence[str], shown: str) -> str:
    """The text without a key, and without the mappings that it leaves empty. Raises UserError without it."""
    data = parse_document(text, shown).data
    while len(key) > 1 and len(_value_at(data, key[:-1]) or ()) == 1 and _value_at(data, key) is not None:
        key = key[:-1]
    depth, parent = _find(text, key[:-1])
    pairs = parent.value if isinstance(parent, MappingNode) else []
    at = [index for index, (name, _) in enumerate(pairs) if key[-1] in (name.value, to_snake(name.value))]
    if depth < len(key) - 1 or not at:
        raise UserError(f"{shown}: there is no {'.'.join(key)}")
    index = at[0]
    start, end = pairs[index][0].start_mark.index, _end(text, pairs[index][1])
    if not parent.flow_style:
        changed = text[: text.rfind("\n", 0, start) + 1] + text[_past_line_end(text, end) :]
    elif len(pairs) == 1:
        changed = ""
    elif index + 1 < len(pairs):
        changed = text[:start] + text[pairs[index + 1][0].start_mark.index :]
    else:
        changed = text[: _end(text, pairs[index - 1][1])] + text[end:]
    return _checked(changed, _without(data, key), shown)


def _past_line_end(text: str, index: int) -> int:
    """Where the next line begins."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1


def _without(data: Mapping[str, Any], key: Sequence[str]) -> dict[str, Any]:
    head, *rest = key
    name = next(name for name in data if head in (name, to_snake(name)))
    kept = {other: value for other, value in data.items() if other != name}
    return {**data, name: _without(data[name], rest)} if rest else kept


def _set(text: str, key: Sequence[str], written: str, shown: str) -> str:
    depth, node = _find(text, key)
    if depth == len(key) and node is not None:
        return _replaced(text, node, written)
    missing = key[depth:]
    if node is None:
        head = text if not text or text.endswith("\n") else text + _line_end(text)
        return head + _block(missing, written, 0, _line_end(text)) + _line_end(text)
    if isinstance(node, MappingNode) and not node.value:
        return _filled(text, node, _flow(missing, written))
    if _is_empty(node):
        return _replaced(text, node, f"{{{_flow(missing, written)}}}")
    if not isinstance(node, MappingNode):
        raise UserError(f"{shown}: {'.'.join(key[:depth])} is not a mapping of keys", "mend it by hand")
    return _with_key(text, node, missing, written)


def _find(text: str, key: Sequence[str]) -> tuple[int, Any]:
    """How many parts of the key are there, and the node of the last of them; the root where none is."""
    node: Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    for depth, part in enumerate(key):
        if not isinstance(node, MappingNode):
            return depth, node
        inner = next(
            (value for name, value in node.value if part in (name.value, to_snake(name.value))), None
        )
        if inner is None:
            return depth, node
        node = inner
    return len(key), node


def _with_key(text: str, node: MappingNode, missing: Sequence[str], written: str) -> str:
    """Adds a key behind the last one of a mapping."""
    end = _end(text, node.value[-1][1])
    if node.flow_style:
        return f"{text[:end]}, {_flow(missing, written)}{text[end:]}"
    end = _end_of_line(text, end)
    column = node.value[0][0].start_mark.column
    return text[:end] + _line_end(text) + _block(missing, written, column, _line_end(text)) + text[end:]


def _replaced(text: str, node: Node, written: str) -> str:
    """Puts another value in the place of a node, or behind the `key:` where none stands."""
    before, after = text[: node.start_mark.index], text[_end(text, node) :]
    blank = "" if before[-1:].isspace() or not before else " "
    return f"{before}{blank}{written}{after}"


def _filled(text: str, node: CollectionNode, written: str) -> str:
    """Puts something into empty brackets, in front of a comment that stands in them."""
    inside = node.start_mark.index + 1
    blank = " " if text[inside : inside + 1] == "#" else ""
    return f"{text[:inside]}{written}{blank}{text[inside:]}"


def _appended(text: str, node: SequenceNode, items: Sequence[str]) -> str:
    """Adds items behind the last one of a list that has some."""
    end = _end(text, node.value[-1])
    if node.flow_style:
        return text[:end] + "".join(f", {_written(item)}" for item in items) + text[end:]
    end = _end_of_line(text, end)
    line_end, indent = _line_end(text), " " * node.start_mark.column
    return text[:end] + "".join(f"{line_end}{indent}- {_written(item)}" for item in items) + text[end:]


def _is_empty(node: Node) -> bool:
    if isinstance(node, CollectionNode):
        return not node.value
    return bool(node.tag == "tag:yaml.org,2002:null")


def _end(text: str, node: Node) -> int:
    """Where the node's own characters end: a block node's mark lies behind the comments that follow it."""
    end: int = node.end_mark.index
    if isinstance(node, ScalarNode):
        return len(text[:end].rstrip("\r\n"))
    if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
        return end
    last = node.value[-1]
    return _end(text, last[1] if isinstance(last, tuple) else last)


def _end_of_line(text: str, index: int) -> int:
    """The end of the line that holds `index`, without its line end."""
    end = text.find("\n", index)
    return len(text) if end < 0 else len(text[:end].rstrip("\r"))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _block(key: Sequence[str], written: str, column: int, line_end: str) -> str:
    lines = [f"{' ' * (column + _STEP * depth)}{_written(part)}:" for depth, part in enumerate(key)]
    return f"{line_end.join(lines)} {written}"


def _flow(key: Sequence[str], written: str) -> str:
    head, *rest = key
    return f"{_written(head)}: {{{_flow(rest, written)}}}" if rest else f"{_written(head)}: {written}"


def _written(value: Any) -> str:
    """A value as YAML on one line: JSON's spelling, with what YAML would take as a break escaped."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _TAKEN:
        return value
    if isinstance(value, list):
        return f"[{', '.join(_written(item) for item in value)}]"
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _value_at(data: Any, key: Sequence[str]) -> Any:
    for part in key:
        if not isinstance(data, dict):
            return None
        data = next((value for name, value in data.items() if part in (name, to_snake(name))), None)
    return data


def _with(data: Mapping[str, Any], key: Sequence[str], value: Any) -> dict[str, Any]:
    head, *rest = key
    name = next((name for name in data if head in (name, to_snake(name))), head)
    inner = data.get(name)
    return {**data, name: _with(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}


def _checked(text: str, wanted: Mapping[str, Any], shown: str) -> str:
    """The changed text, if it says what it should and nothing else."""
    if parse_document(text, shown).data != wanted:
        raise UserError(f"{shown}: this file cannot be changed without disturbing it", "change it by hand")
    return text
