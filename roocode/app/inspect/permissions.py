"""`roocode permissions`: what the guard would say of a call, without running anything."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

from roocode.app.inspect.touching import ToolsOf
from roocode.app.policy import policy_of, rules_of
from roocode.interaction.cli.orders import (
    PermissionsCheck,
    PermissionsExplain,
    PermissionsList,
    PermissionsOrder,
)
from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.load import load_settings
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import RULES
from roocode.protocol.decisions import MODES, Mode
from roocode.protocol.errors import UserError
from roocode.protocol.frozen import frozen
from roocode.protocol.tools import Workspace
from roocode.security.permissions.check import check, check_parts
from roocode.security.permissions.paths import pinned
from roocode.security.permissions.policy import Policy
from roocode.security.permissions.review import review

BAD_INPUT = 42


@frozen
class _Call:
    """A call to judge; `mode` and `cwd` None are those of the command line."""

    tool: str
    input: dict[str, Any]
    mode: Mode | None = None
    cwd: Path | None = None


def permissions_order(order: PermissionsOrder) -> int:
    """Carries out one `roocode permissions` command."""
    judge = _Judge(order.options)
    match order:
        case PermissionsCheck(source=""):
            print(json.dumps(judge(_call({"tool": order.tool, "input": order.input})), ensure_ascii=False))
            return 0
        case PermissionsCheck():
            with _lines(order.source) as lines:
                return _check_all(lines, judge)
        case PermissionsExplain():
            return _explain(_call({"tool": order.tool, "input": order.input}), judge)
        case PermissionsList():
            _list(judge.settings, as_json=order.json)
            return 0
        case _:
            assert_never(order)


class _Judge:
    """Judges calls, with the settings of each directory read once."""

    def __init__(self, options: RunOptions) -> None:
        self.options = options
        self.settings = load_settings(options.cwd, os.environ, options.flags)
        self._grounds: dict[Path, tuple[Policy, Workspace, ToolsOf]] = {}

    def __call__(self, call: _Call) -> dict[str, str]:
        """Decision, layer, rule, source, reason and level.

        A `cwd` inside the directory of the command line is where relative paths start; one outside it is
        judged as the directory that RooCode would have been started in.
        """
        policy, workspace, tools, start = self._situation(call)
        return check(
            call.tool,
            call.input,
            policy,
            workspace,
            touches_of=tools.touches,
            complaint_of=tools.complaint,
            cwd=start,
        )

    def parts(self, call: _Call) -> tuple[tuple[str, dict[str, str]], ...]:
        """The commands of a shell line with an answer each."""
        policy, workspace, tools, start = self._situation(call)
        return check_parts(call.tool, call.input, policy, workspace, touches_of=tools.touches, cwd=start)

    def _situation(self, call: _Call) -> tuple[Policy, Workspace, ToolsOf, str | None]:
        root, cwd = self.options.cwd, None
        if call.cwd is not None:
            spelled = Path(os.path.realpath(root / call.cwd))
            root, cwd = (root, spelled) if spelled.is_relative_to(root) else (spelled, None)
        policy, workspace, tools = self._ground(root)
        if call.mode is not None:
            policy = replace(policy, mode=call.mode)
        return policy, workspace, tools, str(cwd) if cwd else None

    def _ground(self, root: Path) -> tuple[Policy, Workspace, ToolsOf]:
        if root not in self._grounds:
            here = root == self.options.cwd
            settings = self.settings if here else load_settings(root, os.environ, self.options.flags)
            workspace = pinned(Workspace(root, extra=settings.additional_directories))
            tools = ToolsOf(workspace, settings.places.person)
            self._grounds[root] = policy_of(settings), workspace, tools
        return self._grounds[root]


def _check_all(lines: Iterable[bytes], judge: _Judge) -> int:
    """A line for a line; one that is no call is answered with an error, and the rest goes on."""
    code = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer: dict[str, str] = judge(_call(_object(line)))
        except UserError as error:
            code = BAD_INPUT
            answer = {"error": f"line {number}: {error.what}"}
        print(json.dumps(answer, ensure_ascii=False), flush=True)
    return code


@contextmanager
def _lines(source: str) -> Iterator[Iterable[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(source).open("rb") as file:
            yield file
    except OSError as error:
        raise UserError(
            f"cannot read {source}: {error.strerror}", "name a file, or - for standard input"
        ) from error


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UserError(f"not JSON: {error}", "write one JSON object") from error
    if not isinstance(value, dict):
        raise UserError("not a JSON object", "write one JSON object")
    return value


def _call(given: dict[str, Any]) -> _Call:
    tool, arguments, mode, cwd = (given.get(name) for name in ("tool", "input", "mode", "cwd"))
    if isinstance(arguments, str):
        arguments = _object(arguments)
    if not isinstance(tool, str) or not tool or not isinstance(arguments, dict):
        raise UserError(
            "a call needs `tool` (text) and `input` (an object)", "see `roocode permissions check --help`"
        )
    if mode is not None and mode not in MODES:
        raise UserError(f"unknown mode {mode!r}", f"modes are {', '.join(MODES)}")
    if cwd is not None and not isinstance(cwd, str):
        raise UserError("`cwd` should be text", "write the path of a directory")
    return _Call(tool, arguments, mode, Path(cwd) if cwd else None)


def _explain(call: _Call, judge: _Judge) -> int:
    answer = judge(call)
    print(f"{answer['decision']}: {answer['reason']}")
    print(f"  decided by: {answer['layer']}")
    if answer["rule"]:
        print(f"  rule: {answer['rule']}   ({answer['source']})")
    parts = judge.parts(call)
    for text, part in parts if len(parts) > 1 else ():
        print(f"  part: {text}   {part['decision']}: {part['reason']}")
    mode = next(
        (each for each in judge.settings.account if each.dotted == "permissions.mode" and each.counts), None
    )
    print(f"  mode: {judge.settings.mode}   ({mode.source if mode else 'default'})")
    return 0


def _list(settings: Settings, *, as_json: bool) -> None:
    rows = list(_rows(settings))
    for note in (*settings.rule_errors, *settings.unheeded):
        print(note, file=sys.stderr)
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        note = f"   no effect: {row['ignored']}" if row["ignored"] else ""
        note += f"   {row['note']}" if row["note"] else ""
        print(f"{row['verdict']:5}  {row['rule']}   ({row['source']}){note}")
    if not rows:
        print('There are no rules: `roocode config set`, or an answer with "always", adds them.')


def _rows(settings: Settings) -> Iterator[dict[str, str]]:
    """Every rule of every place, with why it has no effect where it has none, or a note on it."""
    remarks = {
        (remark.rule.source, remark.rule.text): remark
        for remark in review(tuple(rules_of(settings.rules, base=str(settings.places.root))))
    }
    for setting in settings.account:
        if setting.key in RULES:
            remark = None if setting.ignored else remarks.get((setting.source, setting.value))
            yield {
                "verdict": str(setting.key[1]),
                "rule": setting.value,
                "tier": setting.tier,
                "source": setting.source,
                "ignored": setting.ignored or (remark.why if remark and remark.is_fault else ""),
                "note": remark.why if remark and not remark.is_fault else "",
            }
