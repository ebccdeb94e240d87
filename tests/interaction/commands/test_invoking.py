"""Several sources of what `/name` calls, as one."""

from __future__ import annotations

import pytest

from roocode.interaction.commands.invoking import AllInvocations, Invocable, Invoked, near


class Source:
    def __init__(self, *names: str, also: str = "") -> None:
        self._names = names
        self._also = (also,) if also else ()

    def names(self) -> tuple[Invocable, ...]:
        return tuple(Invocable(name, does=self._names[0], also=self._also) for name in self._names)

    async def prompt(self, name: str, arguments: str) -> Invoked | None:
        return Invoked(f"{self._names[0]}: {arguments}") if name in self._names else None


@pytest.mark.asyncio
async def test_the_first_source_of_a_name_wins() -> None:
    every = AllInvocations(Source("skills", "both"))
    every.add(Source("prompts", "both", also="old:name"))
    assert [(each.name, each.does) for each in every.names()] == [
        ("both", "skills"),
        ("prompts", "prompts"),
        ("skills", "skills"),
    ]
    assert await every.prompt("both", "x") == Invoked("skills: x")
    assert await every.prompt("prompts", "x") == Invoked("prompts: x")
    assert await every.prompt("none", "x") is None


def test_names_are_known_in_any_case_and_by_what_they_are_called_too() -> None:
    every = AllInvocations(Source("Tidy", also="gh:tidy"))
    assert all(every.knows(name) for name in ("tidy", "TIDY", "GH:tidy"))
    assert not every.knows("tid")
    assert near("tid", every.names(), ("help",)) == ("Tidy",)
