"""Says which syntax errors an edit brings in: those that its file did not have before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from roocode.protocol.frozen import frozen
from roocode.tools.clip import cut_line
from roocode.tools.syntax import notations
from roocode.tools.syntax.fault import Fault, fault
from roocode.tools.syntax.languages import Language, language_of
from roocode.tools.syntax.tags import tag_faults
from roocode.tools.syntax.trees import Unknown, bracket_faults, tree_faults

LARGEST = 1_000_000
_SHOWN = 120
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.M)
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\{#|<\?")
_BRANCH = re.compile(r"^\s*#\s*(?:if|el)", re.M)


@frozen
class Region:
    """The lines that differ: from line `first` (from 1) on, to before line `old_end` and `new_end`."""

    first: int
    old_end: int
    new_end: int

    def moved(self, line: int) -> int | None:
        """Where a line of the old text is in the new one; None where it is in the changed part."""
        if line < self.first:
            return line
        return line + self.new_end - self.old_end if line >= self.old_end else None


def brought_in(path: str, before: str | None, after: str) -> Fault | None:
    """The first fault of `after` that `before` did not have; `before` is None for a new file.

    None also where nothing can be said: another language, over LARGEST characters, a file with conflict
    markers in it, a template of such a file, or a file that was broken in the place that changed.
    """
    after = after.replace("\r\n", "\n")
    before = None if before is None else before.replace("\r\n", "\n")
    language = language_of(path, after)
    if language is None or len(after) > LARGEST or len(before or "") > LARGEST:
        return None
    if conflict := _CONFLICT.search(after):
        had = before is not None and _CONFLICT.search(before)
        return None if had else fault(after.count("\n", 0, conflict.start()) + 1, "a conflict marker")
    if language.check not in ("tree", "python") and _TEMPLATE.search(after):
        return None
    try:
        found = _new_fault(language, path, before, after)
    except Unknown:
        return None
    return replace(found, doubt=language.doubt) if found else None


def sentence(found: Fault, text: str) -> str:
    """A fault for the model: where, what, and the line."""
    lines = text.replace("\r\n", "\n").split("\n")
    line = cut_line(lines[found.line - 1].strip(), _SHOWN) if found.line <= len(lines) else ""
    says = f"{found.says}: " if found.says and line else found.says
    return f"line {found.line}: {says}{line}".rstrip(": ")


def changed(before: str | None, after: str) -> Region:
    """The lines in which two texts differ."""
    new = after.split("\n")
    old = [] if before is None else before.split("\n")
    room = min(len(old), len(new))
    front = next((i for i in range(room) if old[i] != new[i]), room)
    room -= front
    back = next((i for i in range(room) if old[-1 - i] != new[-1 - i]), room)
    return Region(front + 1, len(old) - back + 1, len(new) - back + 1)


def _new_fault(language: Language, path: str, before: str | None, after: str) -> Fault | None:
    match language.check:
        case "tree":
            return _grown(before, after, tree_faults(after, language), language)
        case "python":
            return _new_in_python(before, after, language)
        case "brackets":
            return _unbalanced(before, after, language)
        case "tags":
            faults = tag_faults(after)
            return faults[0] if faults and not (before and tag_faults(before)) else None
        case "json":
            return _new_in_json(path, before, after)
        case "yaml":
            found = notations.yaml_fault(after)
            return None if found and before is not None and notations.yaml_fault(before) else found
        case "toml":
            found = notations.toml_fault(after)
            return None if found and before is not None and notations.toml_fault(before) else found
        case _:
            assert_never(language.check)


def _grown(before: str | None, after: str, now: Sequence[Fault], language: Language) -> Fault | None:
    """The first of the new text's faults that is not an old one at its old place."""
    was = tree_faults(before, language) if now and before is not None else ()
    region = changed(before, after)
    if language.branches and _branches(region, after):
        return None
    if any(each.line < region.old_end and each.end >= region.first - 1 for each in was):
        return None
    known = {region.moved(each.line) for each in was}
    return next((each for each in now if each.line not in known), None)


def _new_in_python(before: str | None, after: str, language: Language) -> Fault | None:
    view = notations.python_view(after)
    if view == "fine":
        return None
    if (found := _grown(before, after, tree_faults(after, language), language)) is not None:
        return found
    if isinstance(view, Fault) and (before is None or notations.python_view(before) == "fine"):
        return view
    return None


def _unbalanced(before: str | None, after: str, language: Language) -> Fault | None:
    """A bracket that lost its partner; branches of the preprocessor may open one twice."""
    faults = bracket_faults(after, language)
    if not faults or (before and bracket_faults(before, language)):
        return None
    region = changed(before, after)
    if _branches(region, after):
        return None
    return next((each for each in faults if region.first <= each.line < region.new_end), faults[0])


def _branches(region: Region, after: str) -> bool:
    """Whether the changed lines have branches of a preprocessor."""
    return bool(_BRANCH.search("\n".join(after.split("\n")[region.first - 1 : region.new_end - 1])))


def _new_in_json(path: str, before: str | None, after: str) -> Fault | None:
    found = notations.json_fault(after)
    if found is None:
        return None
    lenient = notations.may_have_comments(path) if before is None else bool(notations.json_fault(before))
    if not lenient:
        return found
    if before is not None and notations.lenient_json_fault(before):
        return None
    return notations.lenient_json_fault(after)
