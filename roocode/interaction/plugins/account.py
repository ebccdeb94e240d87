"""What a plugin brings, and what of it could run: the lines that a person reads before it is installed."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from roocode.interaction.config.document import MAX_BYTES, parse_document, parse_json
from roocode.interaction.extensions.places import ExtensionKind
from roocode.interaction.plugins.parts import HookSource, Manifest, Part, ServerSource
from roocode.interaction.plugins.tree import Tree, below
from roocode.interaction.ui.safe_text import on_one_line
from roocode.protocol import front_matter
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen

LONGEST_DESCRIPTION = 160

_COMMAND = re.compile(r"!`([^`]+)`|^[ \t]*```!\s*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_SCRIPTS = (
    *(".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php"),
    *(".lua", ".ps1", ".bat", ".cmd", ".exe"),
)
_RIGHTS = ("allowed-tools", "allowedTools", "allowed_tools", "tools", "permissionMode", "mcpServers", "hooks")
_TOLD = frozenset(
    {"timeout", "statusMessage", "description", "name", "async", "once", "event", "matcher", "if"}
)
_SINGULAR: Mapping[ExtensionKind, str] = {"skills": "skill", "commands": "command", "agents": "agent"}


@frozen
class Account:
    """`brings` names the parts, `runs` what could run or be reached, `faults` what cannot be read."""

    brings: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    hooks: tuple[HookSource, ...] = ()


def account_of(tree: Tree, manifest: Manifest) -> Account:
    """The account of a plugin; its `hooks` are those that can be read: no others may count."""
    telling = _Telling(tree, manifest)
    telling.tell()
    return Account(
        tuple(dict.fromkeys(telling.brings)),
        tuple(dict.fromkeys(telling.runs)),
        tuple(telling.faults),
        tuple(telling.sound),
    )


class _Telling:
    def __init__(self, tree: Tree, manifest: Manifest) -> None:
        self._tree, self._manifest = tree, manifest
        self.brings: list[str] = []
        self.runs: list[str] = []
        self.faults: list[str] = []
        self.sound: list[HookSource] = []

    def tell(self) -> None:
        """Goes through all parts."""
        for kind, parts in self._manifest.folders.items():
            for part in parts:
                self._extensions(kind, part)
        for hook in self._manifest.hooks:
            self._hook(hook)
        for source in self._manifest.servers:
            self._servers(source)

    def _extensions(self, kind: ExtensionKind, part: Part) -> None:
        for path in _files(self._tree, kind, part):
            text = self._tree[path].text
            if text is None or len(text) > MAX_BYTES:
                self.faults.append(f"{path}: not UTF-8, or larger than {MAX_BYTES:,} bytes")
                continue
            read = front_matter.read(text)
            named = posixpath.basename(posixpath.dirname(path)) if path.endswith("SKILL.md") else ""
            own = named or posixpath.basename(path).removesuffix(".md")
            name = f"{_SINGULAR[kind]} {self._manifest.name}:{_line(read.fields.get('name') or own)}"
            description = _line(read.fields.get("description") or "")
            cut = description[:LONGEST_DESCRIPTION] + ("…" if len(description) > LONGEST_DESCRIPTION else "")
            self.brings.append(f"{name}  {cut}".rstrip())
            for key in _RIGHTS:
                if read.fields.get(key):
                    self.runs.append(f"{name}: {key}: {_value(read.fields[key])}")
            for found in _COMMAND.finditer(read.body):
                self.runs.append(f"{name}: !{_line(found[1] or found[2])}")
            if path.endswith("SKILL.md"):
                self._scripts(name, posixpath.dirname(path))

    def _scripts(self, name: str, folder: str) -> None:
        for path, entry in below(self._tree, folder):
            inside = path.removeprefix(f"{folder}/")
            is_script = path.endswith(_SCRIPTS) or entry.kind == "program" or entry.data.startswith(b"#!")
            if is_script or posixpath.basename(path) == "tool.json":
                self.runs.append(f"{name}: script {_line(inside)}")

    def _hook(self, hook: HookSource) -> None:
        try:
            lines = list(_hook_lines(_hook_data(self._tree, hook)))
        except UserError as error:
            self.faults.append(f"no hooks: {error.what}")
            return
        self.sound.append(hook)
        self.runs += lines
        self.brings.append(f"{len(lines)} hook{'s' if len(lines) != 1 else ''} ({_line(hook.path)})")

    def _servers(self, source: ServerSource) -> None:
        for name, server in source.servers.items():
            self.brings.append(f"MCP server {_line(name)} ({_line(source.path)})")
            argv = [server["command"], *_listed(server.get("args"))] if server.get("command") else []
            told = ("command", "args", "type") if argv else ("url",)
            main = " ".join(map(str, argv)) if argv else server.get("url", "")
            rest = {key: value for key, value in server.items() if key not in told}
            self.runs.append(f"MCP server {_line(name)}: {_line(main)}{_details(rest)}")


def _files(tree: Tree, kind: ExtensionKind, part: Part) -> Iterator[str]:
    """The files that define something: `SKILL.md` of a skill, Markdown files otherwise."""
    for path, _ in below(tree, part.path):
        first = path.removeprefix(f"{part.path}/" if part.path else "").partition("/")[0]
        if part.only and first not in part.only:
            continue
        is_markdown = path.endswith(".md") and (kind != "skills" or posixpath.dirname(path) == part.path)
        if is_markdown or posixpath.basename(path) == "SKILL.md":
            yield path


def _hook_data(tree: Tree, hook: HookSource) -> Any:
    text = hook.text or tree[hook.path].text
    if text is None or len(text) > MAX_BYTES:
        raise UserError(f"{hook.path} is not UTF-8, or larger than {MAX_BYTES:,} bytes")
    if hook.text or hook.path.endswith(".json"):
        try:
            return parse_json(text)
        except ValueError as error:
            raise UserError(f"{hook.path} is not JSON: {error}") from error
    lines = text.removeprefix("\ufeff")
    first = next((line for line in lines.splitlines() if line.strip() and line[:1] != "#"), "")
    return parse_document(f"hooks:\n{lines}" if first.lstrip().startswith("- ") else lines, hook.path).data


def _hook_lines(data: Any) -> Iterator[str]:
    """A line for each action, of the common form (events with matchers) and of ours (a list)."""
    hooks = data.get("hooks", data) if isinstance(data, dict) else data
    if isinstance(hooks, dict):
        groups = [(event, group) for event, listed in hooks.items() for group in _listed(listed)]
    elif isinstance(hooks, list):
        groups = [(each.get("event", "?") if isinstance(each, dict) else "?", each) for each in hooks]
    else:
        raise UserError("hooks are neither a mapping nor a list")
    for event, group in groups:
        inner = group.get("hooks", group.get("action")) if isinstance(group, dict) else None
        when = _when(group) if isinstance(group, dict) else ""
        for action in [group] if inner is None else _listed(inner):
            yield f"hook {_line(event)}{when}: {_action(action)}"


def _when(group: Mapping[str, Any]) -> str:
    condition = group.get("matcher") or group.get("if")
    return f" ({_value(condition)})" if condition else ""


def _action(action: Any) -> str:
    if not isinstance(action, dict):
        return _value(action)
    main = action.get("command") or action.get("url") or action.get("prompt") or ""
    rest = {key: value for key, value in action.items() if value is not main and key not in _TOLD}
    return f"{_value(main)}{_details(rest)}" if main else _value(rest)


def _details(rest: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in rest.items() if key != "type" or value != "command"}
    return f"  {_value(rest)}" if rest else ""


def _value(value: Any) -> str:
    return _line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def _line(value: Any) -> str:
    return on_one_line(str(value))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
