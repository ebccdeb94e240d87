"""What a test of an endpoint has taught, as plain JSON: only what differs from what its host says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from roocode.engine.models.effort import EffortForm
from roocode.engine.models.profiles import Profile

_TEXTS: Mapping[str, tuple[str, ...]] = {
    "limit_field": ("max_tokens", "max_completion_tokens"),
    "reasoning_field": ("", "reasoning_content", "reasoning"),
}
_FLAGS = (
    "include_usage",
    "reasoning_always",
    "unsigned_thinking",
    "signed_thinking",
    "cache_key",
    "phases",
    "text_calls",
)


def differences(before: Profile, after: Profile) -> dict[str, Any]:
    """What of `after` is another than in `before`."""
    found = {
        name: getattr(after, name)
        for name in (*_TEXTS, *_FLAGS)
        if getattr(after, name) != getattr(before, name)
    }
    if after.efforts != before.efforts:
        found["efforts"] = list(after.efforts)
    if after.dropped != before.dropped:
        found["dropped"] = sorted(after.dropped)
    return found


def applied(profile: Profile, learned: Mapping[str, Any]) -> Profile:
    """The profile with what was learned; what is not of its kind is passed over."""
    changes: dict[str, Any] = {
        name: learned[name] for name, values in _TEXTS.items() if learned.get(name) in values
    }
    changes |= {name: learned[name] for name in _FLAGS if isinstance(learned.get(name), bool)}
    if isinstance(efforts := learned.get("efforts"), list):
        changes["efforts"] = tuple(form for form in efforts if form in get_args(EffortForm))
    if isinstance(dropped := learned.get("dropped"), list):
        changes["dropped"] = frozenset(name for name in dropped if isinstance(name, str))
    return replace(profile, **changes)
