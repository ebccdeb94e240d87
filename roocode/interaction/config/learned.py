"""What `roocode provider test` found out about an endpoint and a model: ~/.roocode/provider_profiles.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from roocode.interaction.config.places import Places
from roocode.protocol.frozen import frozen

FILE = "provider_profiles.json"
VERSION = 1


@frozen
class Learned:
    """What holds for one model at one address; `window` is in tokens, None where it could not be learned.

    `profile` is what differs from what is known of the host, as the engine spells it.
    """

    provider: str
    protocol: str
    base_url: str
    model: str
    tested_on: str = ""
    window: int | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it belongs to: another address or protocol is another endpoint."""
        return (self.provider, self.protocol, self.base_url, self.model)


def read_learned(places: Places, key: tuple[str, str, str, str]) -> Learned | None:
    """What is known of this provider, protocol, address and model; None where it was not tested."""
    return next((each for each in _read(places) if each.key == key), None)


def write_learned(places: Places, learned: Learned) -> None:
    """Keeps it, in place of what was known before. Raises HostError where the disk refuses."""
    from roocode.interaction.config.replace import held, replace_file

    with held(places.lock):
        kept = [each for each in _read(places) if each.key != learned.key]
        document = {"version": VERSION, "profiles": [asdict(each) for each in (*kept, learned)]}
        text = json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True)
        replace_file(places.home / FILE, f"{text}\n".encode(), mode=0o600)


def _read(places: Places) -> list[Learned]:
    """What the file holds; a damaged one holds nothing, for a test writes it anew."""
    try:
        document = json.loads((places.home / FILE).read_text(encoding="utf-8"))
        return [_one(each) for each in document["profiles"]] if document["version"] == VERSION else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def _one(value: Mapping[str, Any]) -> Learned:
    texts = {name: str(value[name]) for name in ("provider", "protocol", "base_url", "model", "tested_on")}
    window, profile = value["window"], value["profile"]
    whole = isinstance(window, int) and not isinstance(window, bool) and window > 0
    return Learned(**texts, window=window if whole else None, profile=dict(profile))
