"""Deleting or moving away the system or the home directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from roocode.security.permissions.dangerous.targets import Surroundings, lost_file, lost_tree, places
from roocode.security.permissions.shell.calls import Call
from roocode.security.permissions.shell.git_opened import parse_git
from roocode.security.permissions.shell.options import Parsed, parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.repeated import search
from roocode.security.permissions.shell.values import Field

_RECURSIVE_DELETERS = names("srm rimraf trash trash-put rmtrash gtrash del rip safe-rm wipe grm")
_TARGETS = names("-t --target-directory")
_RSYNC_VALUES = names(
    "-e --rsh --exclude --include --filter -f --exclude-from --files-from --backup-dir --log-file"
)

_TEMPORARY = tuple("/".join((parent, "tmp")) for parent in ("", "/var", "/private"))


def removal(call: Call, around: Surroundings) -> str:
    """Why a call is refused for what it would delete, or ""."""
    judge = _JUDGES.get(call.name)
    if judge is None and call.name in _RECURSIVE_DELETERS:
        judge = _delete_trees
    return judge(call, around) if judge else ""


def _delete(call: Call, around: Surroundings) -> str:
    parsed = parse_options(call.arguments)
    if any(name.startswith("--no-p") for name, _ in parsed.options):
        return "deletes, root included"
    recursive = any(
        name in ("-r", "-R") or (name.startswith("--r") and len(name) > 3) for name, _ in parsed.options
    )
    if recursive:
        return _trees(parsed.operands, call.cwds, around, "deletes")
    return _files(parsed.operands, call.cwds, around)


def _delete_trees(call: Call, around: Surroundings) -> str:
    return _trees(parse_options(call.arguments).operands, call.cwds, around, "deletes")


def _delete_files(call: Call, around: Surroundings) -> str:
    return _files(parse_options(call.arguments, names("-n -s")).operands, call.cwds, around)


def _trees(fields: Iterable[Field], cwds: Sequence[str], around: Surroundings, does: str) -> str:
    for field in fields:
        if lost := lost_tree(field, cwds, around.home):
            return f"{does} {lost}"
    return ""


def _files(fields: Iterable[Field], cwds: Sequence[str], around: Surroundings) -> str:
    for field in fields:
        if lost := lost_file(field, cwds, "deletes"):
            return f"deletes {lost}"
        everywhere = field.live and not any(path.startswith(_TEMPORARY) for path in places(field, cwds))
        if everywhere and (lost := lost_tree(field, cwds, around.home)):
            return f"deletes all files in {lost}"
    return ""


def _find(call: Call, around: Surroundings) -> str:
    found = search(call.arguments)
    if not any(field.text == "-delete" for field in found.expression) or found.narrow:
        return ""
    starts = [field for field in found.starts if not field.text.startswith(_TEMPORARY)]
    return _trees(starts, call.cwds, around, "deletes")


def _move(call: Call, around: Surroundings) -> str:
    parsed = parse_options(call.arguments, names("-t -S --target-directory --suffix"))
    sources = parsed.operands if parsed.values(*_TARGETS) else parsed.operands[:-1]
    return _trees(sources, call.cwds, around, "moves away")


def _rsync(call: Call, around: Surroundings) -> str:
    parsed = parse_options(call.arguments, _RSYNC_VALUES)
    given = [name for name, _ in parsed.options]
    if any(name.startswith("--del") for name in given):
        return _trees(parsed.operands[-1:], call.cwds, around, "deletes what is not in the source from")
    if any(name.startswith("--remove-s") for name in given):
        return _trees(parsed.operands[:-1], call.cwds, around, "deletes")
    return ""


def _archive(call: Call, around: Surroundings) -> str:
    parsed = parse_options(call.arguments, names("-f -C --file --directory -T -X --exclude"))
    moves = parsed.has("--remove-files") if call.name == "tar" else _packs_and_deletes(parsed, call)
    return _trees(parsed.operands, call.cwds, around, "packs and deletes") if moves else ""


def _packs_and_deletes(parsed: Parsed, call: Call) -> bool:
    return parsed.has("-m", "--move") if call.name == "zip" else "-sdel" in call.texts


def _git(call: Call, around: Surroundings) -> str:
    git = parse_git(call.arguments)
    given = parse_options(git.arguments, names("-e"))
    if git.command != "clean" or not given.has("-f", "--force") or given.has("-n", "--dry-run"):
        return ""
    where = git.directories or (Field("."),)
    paths = given.operands or where
    return _trees(paths, call.cwds, around, "deletes what git does not know in")


def _gio(call: Call, around: Surroundings) -> str:
    if call.texts[:1] in (["trash"], ["remove"]):
        return _trees(call.arguments[1:], call.cwds, around, "deletes")
    return ""


_JUDGES: Mapping[str, Callable[[Call, Surroundings], str]] = {
    "rm": _delete,
    "unlink": _delete_files,
    "shred": _delete_files,
    "scrub": _delete_files,
    "find": _find,
    "gfind": _find,
    "mv": _move,
    "gmv": _move,
    "rsync": _rsync,
    "tar": _archive,
    "zip": _archive,
    "7z": _archive,
    "git": _git,
    "gio": _gio,
    "kioclient": _gio,
}
