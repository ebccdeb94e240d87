"""EditFile: replaces a passage of a file and nothing else."""

from __future__ import annotations

import asyncio
from typing import Annotated, assert_never

from roocode.protocol.errors import ModelError, RooCodeError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Tool, ToolOutcome, Touches
from roocode.tools.diff import unified
from roocode.tools.editing.apply import Ambiguous, Edited, NotFound, edit
from roocode.tools.editing.losses import placeholder
from roocode.tools.editing.nearest import nearest
from roocode.tools.schema import Input, Limit
from roocode.tools.seen import State
from roocode.tools.services import Services
from roocode.tools.text import encode as encode_text
from roocode.tools.text import sendable
from roocode.tools.textfile import TextFile, encode, load
from roocode.tools.typed_tool import Action, make_tool

_LONG_ANCHOR = 200
_LONG_ANCHOR_LINES = 5
_LINES_NAMED = 20
_SHORT_OF_WHOLE = {
    "unseen": "was not read",
    "part": "was read in part only",
    "changed": "has changed since it was read (by a command, a hook or someone else)",
}


@frozen
class EditFileInput(Input):
    """What EditFile takes."""

    path: Annotated[str, Limit(min_length=1)]
    """The file."""
    old_string: str
    """The passage to replace, exactly as it stands in the file."""
    new_string: str
    """What stands there afterwards."""
    replace_all: bool = False
    """Replace every occurrence."""


class EditFile(Action[EditFileInput]):
    """Edits files that were read, byte for byte but for the passage."""

    def __init__(self, services: Services) -> None:
        self._files = services.files
        self._seen = services.seen
        self._syntax = services.syntax

    def objection(self, given: EditFileInput) -> str:
        """Why there is nothing to replace."""
        if not given.old_string:
            return "`old_string` must not be empty; WriteFile creates a file"
        if given.old_string == given.new_string:
            return "`old_string` and `new_string` must differ: this edit changes nothing"
        return ""

    def touches(self, given: EditFileInput) -> Touches:
        """The file: an error shows lines of it, so it is read too."""
        return Touches(reads=(given.path,), writes=(given.path,))

    def preview(self, given: EditFileInput) -> str:
        """The diff, or the two passages where it would fail.

        Raises ModelError where the file must be read first, whether or not the passage is in it: to tell that
        would tell what stands in a file that was not shown.
        """
        try:
            file = load(self._files, given.path)
        except RooCodeError:
            before = given.old_string
        else:
            _check_read(given, self._seen.state(file.path, file.data))
            before = file.decoded.text
        outcome = edit(before, given.old_string, given.new_string, everywhere=given.replace_all)
        if isinstance(outcome, Edited):
            return unified(before, outcome.text, given.path)
        return unified(given.old_string, given.new_string, given.path)

    async def run(self, given: EditFileInput) -> ToolOutcome:
        """Replaces the passage, and says where and how it was found, and what it may have broken."""
        file = load(self._files, given.path)
        state = self._seen.state(file.path, file.data)
        outcome = edit(file.decoded.text, given.old_string, given.new_string, everywhere=given.replace_all)
        match outcome:
            case NotFound():
                raise ModelError(sendable(_not_found(file, given, state)))
            case Ambiguous():
                raise ModelError(_ambiguous(outcome, given.path))
            case Edited():
                _check_seen(outcome, given, state)
            case _:
                assert_never(outcome)
        data = _encoded(outcome.text, file, given)
        if data == file.data:
            raise ModelError(_nothing(outcome, given.path))
        return await asyncio.to_thread(self._write, given, file, outcome, data, state)

    def _write(
        self, given: EditFileInput, file: TextFile, outcome: Edited, data: bytes, state: State
    ) -> ToolOutcome:
        self._files.write(file.place, data, replacing=file.data)
        if state == "whole":
            self._seen.note(file.path, data)
        else:
            total = outcome.text.count("\n") + 1
            self._seen.note_lines(file.path, data, range(outcome.lines[0], outcome.lines[0] + 1), total)
        syntax = self._syntax.told(file.path, file.decoded.text, outcome.text)
        report = [_report(outcome, given, state), _placeholder(given), sendable(syntax)]
        return ToolOutcome(
            "\n".join(filter(None, report)), shown=unified(file.decoded.text, outcome.text, given.path)
        )


def _encoded(text: str, file: TextFile, given: EditFileInput) -> bytes:
    """The file's new bytes; the new passage must be text that its encoding has. Raises ModelError."""
    encode(given.new_string, file.decoded.encoding, given.path)
    return encode_text(text, file.decoded.encoding)


def _check_read(given: EditFileInput, state: State) -> None:
    """What was not seen, or has changed, needs a passage beyond doubt by itself. Raises ModelError."""
    if state in ("unseen", "changed") and not _is_long(given.old_string):
        again = "Read it again, then edit it." if state == "changed" else "Read it first."
        raise ModelError(f"{given.path} {_SHORT_OF_WHOLE[state]}; nothing was changed.", again)


def _check_seen(outcome: Edited, given: EditFileInput, state: State) -> None:
    """An edit of what was not seen whole must be beyond doubt. Raises ModelError."""
    if state == "whole":
        return
    _check_read(given, state)
    reason = f"{given.path} {_SHORT_OF_WHOLE[state]}"
    if outcome.how != "exact" or len(outcome.lines) > 1:
        raise ModelError(f"{reason}, and only an exact, single match counts then.", "Read it first.")


def _is_long(anchor: str) -> bool:
    lines = [line for line in anchor.splitlines() if line.strip()]
    return len(anchor) >= _LONG_ANCHOR or len(lines) >= _LONG_ANCHOR_LINES


def _report(outcome: Edited, given: EditFileInput, state: State) -> str:
    where = _lines(outcome.lines)
    count = f"{len(outcome.lines)} replacements" if len(outcome.lines) > 1 else "replaced"
    report = f"Edited {given.path}: {count} at {where}."
    if outcome.how == "whitespace":
        report += (
            " old_string matched only when whitespace is ignored; the file's own indentation was kept:"
            " check the result."
        )
    if state == "changed":
        report += " The file has changed since you read it; other parts may not be as you saw them."
    return report


def _not_found(file: TextFile, given: EditFileInput, state: State) -> str:
    hint = nearest(file.decoded.text, given.old_string)
    again = " It has changed since you read it: read it again." if state == "changed" else ""
    return f"old_string is not in {given.path}; nothing was changed.{again}\n{hint}".rstrip()


def _ambiguous(outcome: Ambiguous, path: str) -> str:
    exact = outcome.how == "exact"
    how = "" if exact else " when whitespace is ignored, and not once exactly"
    mend = (
        "Add lines around it until it is unique, or set replace_all."
        if exact
        else "Copy the place that you mean exactly, indentation included, and enough lines around it."
    )
    return (
        f"old_string is {len(outcome.lines)} times in {path}{how}, at {_lines(outcome.lines)}; "
        f"nothing was changed.\n{mend}"
    )


def _nothing(outcome: Edited, path: str) -> str:
    """What an edit comes to that differs from the file in nothing but what edits keep."""
    kept = "line endings" if outcome.how == "exact" else "whitespace"
    mend = "Convert it in Bash (`sed`, `dos2unix`)." if outcome.how == "exact" else "Copy old_string exactly."
    return (
        f"That changes nothing in {path} at {_lines(outcome.lines)}: the strings differ only in {kept}, "
        f"which the file keeps as it has them.\n{mend}"
    )


def _placeholder(given: EditFileInput) -> str:
    found = placeholder(given.old_string, given.new_string)
    if found is None:
        return ""
    return (
        f"new_string holds what looks like a placeholder: {found.text!r}. If text was to stay there, it is "
        "gone: put it back."
    )


def _lines(numbers: tuple[int, ...]) -> str:
    named = ", ".join(map(str, numbers[:_LINES_NAMED]))
    more = f" and {len(numbers) - _LINES_NAMED} more" if len(numbers) > _LINES_NAMED else ""
    return f"line{'s' if len(numbers) > 1 else ''} {named}{more}"


def build(services: Services) -> Tool:
    """EditFile."""
    return make_tool(__name__, EditFileInput, EditFile(services))
