"""Which backend a team gets, by what is there, what is asked for, and what its members have."""

from __future__ import annotations

from typing import Any

import pytest

from roocode.engine.team.backends.choose import choose
from roocode.protocol.errors import HostError

ITERM = {"TERM_PROGRAM": "iTerm.app"}


@pytest.mark.parametrize(
    ("env", "has_tmux", "has_it2", "name", "hint"),
    [
        ({"TMUX": "/tmp/tmux-0/default,1,0"}, True, False, "tmux", ""),
        ({"TMUX": "/tmp/tmux-0/default,1,0", **ITERM}, True, True, "tmux", ""),
        (ITERM, True, True, "tmux", ""),
        (ITERM, True, False, "tmux", "it2"),
        ({"ITERM_SESSION_ID": "w0"}, False, False, "in-process", "it2"),
        ({}, True, False, "tmux", ""),
        ({}, False, False, "in-process", "install tmux"),
    ],
)
def test_by_what_is_there(env: dict[str, str], has_tmux: bool, has_it2: bool, name: str, hint: str):
    choice = choose("auto", env, has_tmux=has_tmux, has_it2=has_it2)
    assert choice.name == name
    assert hint in choice.hint
    assert bool(hint) == bool(choice.hint)


@pytest.mark.parametrize("asked", ["tmux", "iterm2", "screen"])
def test_one_that_is_forced_and_not_there_is_an_error_with_the_mend(asked: str):
    with pytest.raises(HostError) as failure:
        choose(asked, {}, has_tmux=False, has_it2=True)
    assert asked in failure.value.what
    assert failure.value.mend


@pytest.mark.parametrize(
    ("used", "name"), [({"in-process"}, "in-process"), ({"tmux"}, "tmux"), ({"in-process", "tmux"}, "tmux")]
)
def test_a_team_stays_where_its_members_are(used: set[Any], name: str):
    env = {"TMUX": "/tmp/tmux-0/default,1,0"}
    choice = choose("auto", env, has_tmux=True, has_it2=False, used=used)
    assert (choice.name, choice.why) == (name, "as its members had it")
    assert choose("in-process", env, has_tmux=True, has_it2=False, used=used).name == "in-process"


def test_a_team_on_tmux_is_not_moved_silently_when_tmux_is_gone():
    with pytest.raises(HostError, match="there is no tmux program"):
        choose("auto", {}, has_tmux=False, has_it2=False, used={"tmux"})
