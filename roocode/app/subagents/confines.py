"""What a sub-agent may call: its parent's policy, and never more than that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from roocode.app.subagents.parentage import PERSONAL, Parentage
from roocode.engine import prompts as texts
from roocode.engine.loop.limits import Tally
from roocode.engine.subagents import filters
from roocode.engine.subagents.definition import AgentDefinition
from roocode.engine.subagents.modes import tighter
from roocode.security.guard import GuardedToolset
from roocode.security.permissions.narrowing import narrowing, with_servers
from roocode.security.permissions.policy import Narrowing, Policy
from roocode.security.permissions.rules import parse_rule


def shared_names(parent: Parentage, own: Iterable[str]) -> list[str]:
    """The parent's tools that a sub-agent may have at all, where it has made `own` for itself."""
    now = parent.present.tools
    held = _held(parent, own)
    return [spec.name for spec in (*now.specs, *now.deferred()) if spec.name not in held]


def in_words(names: Iterable[str], parent: Parentage) -> str:
    """A list of tools as an agent is told it: those of servers, which come and go, as one."""
    words = [name for name in names if not name.startswith("mcp__")]
    if parent.servers is not None:
        words.append("those of MCP servers (mcp__…)")
    return ", ".join(words) or "none"


def _held(parent: Parentage, own: Iterable[str]) -> frozenset[str]:
    """What is its parent's alone."""
    return parent.apart | (PERSONAL - frozenset(own))


class Confines:
    """A step before each request: rules and mode are its parent's of the moment, tightened.

    A narrowing that held its parent when it began holds it to its end; those of skills that it loads itself
    are left as they are.
    """

    def __init__(
        self,
        parent: Parentage,
        definition: AgentDefinition,
        label: str,
        *,
        own: Iterable[str],
        is_fork: bool,
        in_background: bool,
    ) -> None:
        self._parent = parent
        self._definition = definition
        self._who = f"the sub-agent {label}"
        self._toolset: GuardedToolset | None = None
        self._tell: Callable[[str], None] = lambda _text: None
        self._untold = ""
        self._in_background = in_background
        now = parent.present.tools
        known = shared_names(parent, own)
        self._apart = _held(parent, own)
        self.names = filters.allowed(known, definition, background=in_background)
        source = self._who
        self._denied = tuple(
            parse_rule(rule, "deny", "session", source) for rule in definition.disallowed if "(" in rule
        )
        self._narrowings = now.policy.narrowings
        patterns = filters.rules(definition)
        if is_fork:
            self._narrowings += (self._narrowed(self._who),)
        elif patterns is not None:
            self._narrowings += (narrowing(self._who, patterns),)

    def hold(self, toolset: GuardedToolset, tell: Callable[[str], None]) -> None:
        """From now on each request finds this toolset confined; `tell` reaches the agent."""
        self._toolset, self._tell = toolset, tell

    def lacks(self, name: str) -> bool:
        """Whether it does not have this tool at all, were it there now or later."""
        left = filters.allowed((name,), self._definition, background=self._in_background)
        return name in self._apart or not left

    def policy(self) -> Policy:
        """Its policy of the moment."""
        parent = self._parent.present.tools.policy
        now = self._toolset.policy if self._toolset is not None else replace(parent, rules=(), narrowings=())
        rules = (*parent.rules, *self._denied)
        return replace(
            parent,
            mode=tighter(parent.mode, self._definition.mode),
            rules=(*rules, *(rule for rule in now.rules if rule not in rules)),
            narrowings=(*self._narrowings, *self._of_its_skills(now)),
            tools=parent.tools | now.tools,
            plan_file=None,
        )

    def _of_its_skills(self, now: Policy) -> Iterator[Narrowing]:
        """What skills hold it by that it has loaded itself."""
        return (each for each in now.narrowings if not any(each is own for own in self._narrowings))

    def to_background(self) -> None:
        """Takes away what an agent in the background must not have, and says so before its next request."""
        if self._in_background:
            return
        self._in_background = True
        self.names = tuple(name for name in self.names if filters.in_background(name))
        self._narrowings += (self._narrowed(f"{self._who}, in the background,"),)
        self._untold = texts.text("in_background").format(tools=in_words(self.names, self._parent))
        self._confine()

    def _narrowed(self, by: str) -> Narrowing:
        """To what it has; servers' tools that come later are as good as those that are there."""
        return with_servers(narrowing(by, tuple(name for name in self.names if not name.startswith("mcp__"))))

    async def __call__(self, _tally: Tally) -> bool:
        """Brings no outside input."""
        self._confine()
        if self._untold:
            self._tell(self._untold)
            self._untold = ""
        return False

    def _confine(self) -> None:
        if self._toolset is not None:
            self._toolset.policy = self.policy()
