"""Which backend a team gets: decided once, before the first spawn. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from roocode.protocol.errors import HostError
from roocode.protocol.frozen import frozen
from roocode.protocol.team import BackendName

GET_TMUX = "install tmux (apt install tmux, brew install tmux) to watch teammates in panes"
GET_IT2 = "install the it2 program (pip install it2) for iTerm2 panes"


_RANK: tuple[BackendName, ...] = ("tmux", "iterm2", "in-process")


@frozen
class Choice:
    """A backend, why it was chosen, and how to get a better one (empty: there is none)."""

    name: BackendName
    why: str
    hint: str = ""


def choose(
    asked: str,
    env: Mapping[str, str],
    *,
    has_tmux: bool,
    has_it2: bool,
    used: Collection[BackendName] = (),
) -> Choice:
    """Chooses by TEAM.md, "Choosing a backend". `asked` is auto or a name that is forced.

    `used` are those of the members that a team has already: it stays there, there is no silent change.
    Raises HostError when a forced backend is not there: it names what is missing.
    """
    if asked != "auto":
        return _forced(asked, has_tmux=has_tmux)
    if used:
        return replace(_forced(min(used, key=_RANK.index), has_tmux=has_tmux), why="as its members had it")
    if env.get("TMUX") and has_tmux:
        return Choice("tmux", "this terminal is inside tmux")
    if env.get("TERM_PROGRAM") == "iTerm.app" or env.get("ITERM_SESSION_ID"):
        return _in_iterm(has_tmux=has_tmux, has_it2=has_it2)
    if has_tmux:
        return Choice("tmux", "tmux is installed")
    return Choice("in-process", "tmux is not installed", GET_TMUX)


def _forced(asked: str, *, has_tmux: bool) -> Choice:
    match asked:
        case "tmux" if has_tmux:
            return Choice("tmux", "asked for")
        case "tmux":
            raise HostError("the tmux backend was asked for, but there is no tmux program", GET_TMUX)
        case "in-process":
            return Choice("in-process", "asked for")
        case "iterm2":
            raise HostError(
                "the iterm2 backend was asked for, but this version cannot drive iTerm2 panes",
                "use --backend tmux or --backend in-process",
            )
        case _:
            raise HostError(f"there is no backend {asked!r}", "choose auto, tmux or in-process")


def _in_iterm(*, has_tmux: bool, has_it2: bool) -> Choice:
    hint = "" if has_it2 else GET_IT2
    if has_tmux:
        return Choice("tmux", "iTerm2 panes are not driven by this version, tmux is installed", hint)
    return Choice("in-process", "neither iTerm2 panes nor tmux can be used", hint or GET_TMUX)
