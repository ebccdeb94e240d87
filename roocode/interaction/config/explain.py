"""Answers who set what: file and line, variable or option, and what was shadowed or ignored and why."""

from __future__ import annotations

import json
from collections.abc import Iterator

from roocode.interaction.config.settings import Setting, Settings


def explain(settings: Settings, dotted: str) -> tuple[Setting, ...]:
    """Every place that set a key, one below it or the whole around it, in the order in which they win.

    Raises UserError for a key that no file can set.
    """
    from roocode.interaction.config.schema import known_paths, unknown_key

    known = [path.removesuffix(".*") for path in known_paths()]
    if not any(_below(dotted, path) or _below(path, dotted) for path in known):
        raise unknown_key(dotted)
    return tuple(
        each for each in settings.account if _below(each.dotted, dotted) or _below(dotted, each.dotted)
    )


def in_words(setting: Setting) -> str:
    """One line on one value."""
    line = f"{setting.dotted} = {written(setting.value)}   ({setting.source})"
    if setting.ignored:
        return f"{line}   ignored: {setting.ignored}"
    return f"{line}   overridden by {setting.shadowed_by}" if setting.shadowed_by else line


def written(value: object) -> str:
    """A value as it can stand in the file: text as it is, all else as JSON, which is YAML too."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def defaults(settings: Settings) -> Iterator[tuple[str, object]]:
    """The keys that nothing set, with the value that they have all the same."""
    given = {each.dotted for each in settings.account if each.counts}
    context, seconds = settings.context, settings.ask_timeout_s
    patience_s = settings.subagents.auto_background_s
    values: dict[str, object] = {
        "permissions.mode": settings.mode,
        "permissions.ask_timeout": "off" if seconds is None else int(seconds),
        "team.max_teammates": settings.team.max_teammates,
        "team.backend": settings.team.backend,
        "team.coordinator": settings.team.coordinator,
        "subagents.max_running": settings.subagents.max_running,
        "subagents.auto_background": "off" if patience_s is None else int(patience_s),
        "enable_verification_agent": settings.enable_verification_agent,
        "context.warning": context.warning,
        "context.clearing": context.clearing,
        "context.summary": context.summary,
        "context.full": context.full,
        "context.tools": context.tools,
        "transport": settings.transport,
        "max_turns": settings.max_turns,
        "sandbox": settings.sandbox,
    }
    return ((dotted, value) for dotted, value in values.items() if dotted not in given)


def _below(dotted: str, under: str) -> bool:
    return dotted == under or dotted.startswith(f"{under}.")
