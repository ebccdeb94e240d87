"""What stands in the head of a skill's file, as people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.interaction.extensions.found import Read
from roocode.interaction.extensions.places import Folder
from roocode.interaction.skills.definition import Skill, read_command, read_skill
from roocode.interaction.skills.fields import items_of, usable_name
from roocode.protocol.errors import UserError

FOLDER = Folder("user", Path("/skills"))


def skill(head: str, body: str = "Do it.\n", path: str = "/skills/mend/SKILL.md") -> Read[Skill]:
    return read_skill(f"---\n{head}\n---\n{body}", Path(path), FOLDER)


def command(text: str, path: str = "/commands/gh/view-pr.md") -> Read[Skill]:
    return read_command(text, Path(path), FOLDER)


@pytest.mark.parametrize(
    ("written", "items"),
    [
        ("Read, Grep,Glob", ("Read", "Grep", "Glob")),
        ("Read Grep  Bash", ("Read", "Grep", "Bash")),
        ("Bash(git add *), Bash(npm:*,yarn:*) Read", ("Bash(git add *)", "Bash(npm:*,yarn:*)", "Read")),
        ('"Read,Bash(bd:*)"', ("Read", "Bash(bd:*)")),
        ("[Read, 'Grep']", ("Read", "Grep")),
        (["Read", "Bash(a b), Grep"], ("Read", "Bash(a b)", "Grep")),
        ({"write": False, "read": True}, ("read",)),
        ("- Read\n- Grep", ("Read", "Grep")),
        ("Bash(broken", ("Bash(broken",)),
        ([], ()),
    ],
)
def test_lists_have_many_shapes(written: object, items: tuple[str, ...]) -> None:
    assert items_of(written) == items


def test_fields_in_every_spelling() -> None:
    said = skill(
        "name: mend\ndescription: Mends: all of it\nwhenToUse: Often.\ntags: [a, b]\ncontext: fork\n"
        "allowedTools: Read Grep\nargument-hint: [file] [line]\narguments: file line\n"
        'disable-model-invocation: "true"\nuser-invocable: false\nmodel: haiku\neffort: high\nlicense: MIT'
    )
    value = said.value
    assert (value.description, value.when_to_use, value.tags) == ("Mends: all of it", "Often.", ("a", "b"))
    assert (value.mode, value.allowed, value.model, value.effort) == (
        "fork",
        ("Read", "Grep"),
        "haiku",
        "high",
    )
    assert (value.hint, value.arguments) == ("[file] [line]", ("file", "line"))
    assert (value.for_model, value.for_person, value.folder) == (False, False, Path("/skills/mend"))
    assert said.notes == ("not valid YAML, taken as plain text: description, argument-hint",)


def test_what_has_no_effect_is_said() -> None:
    notes = skill(
        "name: mend\ndescription: d\nhooks: {}\npaths: [a]\nmodel: opus\nmode: later\nallowed-tools: LS, Ward"
    ).notes
    assert notes == (
        "not honoured: hooks, paths, model",
        "its mode 'later' is not known: it runs inline",
        "allowed-tools: Ward lets nothing through: there is no tool called Ward",
    )


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Git Helper!", "Git-Helper"),
        ("kit:evil", "kit-evil"),
        ("../../x", "x"),
        ("\x1b[31mred", "31mred"),
        ("", "fallback"),
        ("提交", "提交"),
        ("a" * 90, "a" * 64),
        ("2fa", "skill-2fa"),
    ],
)
def test_a_name_can_be_typed(said: str, name: str) -> None:
    assert usable_name(said, "fallback") in (name, f"skill-{name}")


def test_without_description_or_head_the_first_words_describe_it() -> None:
    assert skill("name: mend", "# Title\n\nMends\nthings.\n").value.description == "Mends things."
    bare = read_skill("# Only a title\n", Path("/skills/mend/SKILL.md"), FOLDER)
    assert (bare.name, bare.value.description) == ("mend", "Only a title")


@pytest.mark.parametrize("text", ["", "\n \n", "---\nname: a\n---\n", "---\nname: a\nnever closed\n"])
def test_what_says_nothing_or_never_ends_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        read_skill(text, Path("/skills/mend/SKILL.md"), FOLDER)


def test_a_star_allows_all_and_an_empty_list_nothing() -> None:
    assert skill("name: mend\ndescription: d\nallowed-tools: '*'").value.allowed is None
    assert skill("name: mend\ndescription: d\nallowed-tools: []").value.allowed == ()
    assert skill("name: mend\ndescription: d\nallowed-tools:").value.allowed is None


def test_a_command_is_called_as_its_file_is() -> None:
    said = command("---\nname: other\nargument-hint: [pr]\n---\nView $1.\n")
    assert (said.name, said.value.kind, said.value.hint) == ("view-pr", "command", "[pr]")
    assert said.value.counts_from_one
    assert not said.value.for_model
    assert not command("View $0, then $1.").value.counts_from_one
