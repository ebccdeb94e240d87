"""Where what is sent is no continuation of what was sent before: named, and counted from the log. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from roocode.protocol.frozen import frozen
from roocode.protocol.messages import BREAKS, Break


@frozen
class Breaks:
    """The breaks of one conversation's prefix: how many of each name, and those since the last answer.

    `tools` stands for the list of tools that was offered last, `answered_by` is the model that answered last.
    """

    counts: Mapping[Break, int] = field(default_factory=dict)
    open: tuple[Break, ...] = ()
    tools: str = ""
    answered_by: str = ""

    def taken(self, record: Mapping[str, Any]) -> Breaks:
        """The state after one record of the log."""
        match record.get("type"):
            case "compaction":
                kind = record.get("kind")
                return self.broken(next((name for name in BREAKS if name == kind), "summary"))
            case "rewind":
                return self.broken("rewind")
            case "tools":
                return self._offered(str(record["digest"]), record.get("change"))
            case "reply":
                return self._answered(record)
            case _:
                return self

    def broken(self, name: Break) -> Breaks:
        """The state after a break of this name."""
        names = self.open if name in self.open else (*self.open, name)
        return replace(self._counted([name]), open=names)

    @property
    def told(self) -> str:
        """The count in words, as `2 (summary 1, model 1)`."""
        names = ", ".join(f"{name} {count}" for name, count in self.counts.items())
        return f"{sum(self.counts.values())} ({names})" if names else "none"

    def _offered(self, digest: str, change: object) -> Breaks:
        """The first list breaks nothing."""
        after = replace(self, tools=digest)
        if self.tools in ("", digest):
            return after
        return after.broken("discovery" if change == "discovery" else "tools")

    def _answered(self, record: Mapping[str, Any]) -> Breaks:
        """What only the client knew of comes with its answer."""
        given = record.get("breaks", ())
        after = self._counted(name for name in BREAKS if name in given)
        return replace(after, open=(), answered_by=str(record.get("by") or self.answered_by))

    def _counted(self, names: Iterable[Break]) -> Breaks:
        counts = dict(self.counts)
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        return replace(self, counts=counts)
