"""A stretch of time in words. Pure."""

from __future__ import annotations


def in_words(seconds: float) -> str:
    """As people say it: `40 s`, `10 min`, `2 h`, `2 h 5 min`; from a minute on without seconds."""
    minutes, rest = divmod(int(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h" if hours else "", f"{minutes} min" if minutes else ""]
    return " ".join(part for part in parts if part)
