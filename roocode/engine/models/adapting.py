"""What an endpoint teaches by refusing: a 400 that names a field changes the profile, never a parser."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from roocode.engine.models.effort import EffortForm
from roocode.engine.models.profiles import Profile

_OPTIONAL = ("prompt_cache_key", "max_output_tokens", "include", "store", "phase")
_EFFORT = re.compile(r"thinking|budget_tokens|adaptive|output_config|effort|\breasoning\b", re.IGNORECASE)
_FORBIDS = re.compile(
    r"not permitted|not supported|unsupported|unknown|unexpected|unrecognized|extra|must not|invalid", re.I
)
_LACKS = re.compile(r"missing|passed back|(?<!not )required", re.IGNORECASE)
_WANTS = re.compile(r"must|missing|required?|passed back|expected", re.IGNORECASE)
_SEALED = re.compile(r"signature|encrypted|required following item", re.IGNORECASE)


def adapted(profile: Profile, complaint: str, asked: EffortForm | None = None) -> Profile | None:
    """The profile after a 400 whose words name what is not taken there; None if they do not.

    `asked` is the form in which the refused request asked for an effort, None where it did not.
    """
    if profile.include_usage and "stream_options" in complaint:
        return replace(profile, include_usage=False)
    if "max_completion_tokens" in complaint:
        other: Literal["max_tokens", "max_completion_tokens"] = (
            "max_completion_tokens" if profile.limit_field == "max_tokens" else "max_tokens"
        )
        return replace(profile, limit_field=other)
    return _field(profile, complaint) or _history(profile, complaint) or _effort(profile, complaint, asked)


def changes_history(before: Profile, after: Profile) -> bool:
    """Whether messages that were sent before have another form now."""
    form = ("reasoning_field", "reasoning_always", "unsigned_thinking", "signed_thinking", "dropped")
    return any(getattr(before, name) != getattr(after, name) for name in form)


def _history(profile: Profile, complaint: str) -> Profile | None:
    """Reasoning of earlier turns that is wanted back, that cannot be read, or that may not be sent."""
    if profile.signed_thinking and _SEALED.search(complaint):
        return replace(profile, signed_thinking=False)
    field = profile.reasoning_field or "reasoning_content"
    if not re.search(rf"\b(?:{field}|reasoning_content|reasoning_details)\b", complaint):
        return None
    if field == "reasoning" and not re.search(r"messages|assistant", complaint):
        return None
    forbidden = _FORBIDS.search(complaint) and not _LACKS.search(complaint)
    if profile.reasoning_field and forbidden:
        return replace(profile, reasoning_field="", reasoning_always=False)
    if not profile.reasoning_always and _WANTS.search(complaint):
        return replace(profile, reasoning_field=field, reasoning_always=True)
    return None


def _effort(profile: Profile, complaint: str, asked: EffortForm | None) -> Profile | None:
    if asked is None or asked not in profile.efforts or not _EFFORT.search(complaint):
        return None
    return replace(profile, efforts=tuple(form for form in profile.efforts if form != asked))


def _field(profile: Profile, complaint: str) -> Profile | None:
    for name in _OPTIONAL:
        plain = "_" in name and re.search(rf"\b{name}\b", complaint)
        quoted = re.search(
            rf"['\"`]{name}(?:\[\d*\])?['\"`]|(?:parameter|field|argument):? {name}\b", complaint
        )
        if name not in profile.dropped and (plain or quoted):
            return replace(profile, dropped=profile.dropped | {name})
    return None
