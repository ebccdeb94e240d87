"""Rules out of `.claude/settings*.json`: with their lines, as far as they count, and what is not honoured."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from roocode.interaction.config.foreign import foreign_file, read_foreign
from roocode.interaction.config.places import Places, Scope
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.config.trust import effective_files, standing, trust

Load = Callable[..., Settings]

_SHARED = Path(os.environ.get("ROOCODE_SHARED", Path(__file__).parents[4] / "shared"))
_REAL = _SHARED / "corpus" / "settings" / "settings"


def write(places: Places, scope: Scope, text: str) -> None:
    """Writes the file of a scope."""
    path = foreign_file(places, scope)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def rules(settings: Settings) -> list[tuple[str, str, str, str]]:
    """The rules that count, with tier and place."""
    return [(rule.verdict, rule.text, rule.tier, rule.source) for rule in settings.rules]


def test_rules_keep_their_lines_and_tiers(load: Load, places: Places) -> None:
    write(places, "user", '{\n"permissions": {\n  "allow": ["Bash(ls:*)",\n\t"Read"]}}')
    write(places, "project", '{"permissions": {"deny": ["Read(.env)"],\n"ask": ["Bash(git push:*)"]}}')
    write(places, "local", '{"permissions":\n{"allow": ["Bash(make:*)"]}}')
    trust(places, effective_files(places.root))

    assert rules(load()) == [
        ("allow", "Bash(ls:*)", "user", "~/.claude/settings.json:3"),
        ("allow", "Read", "user", "~/.claude/settings.json:4"),
        ("ask", "Bash(git push:*)", "project", ".claude/settings.json:2"),
        ("deny", "Read(.env)", "project", ".claude/settings.json:1"),
        ("allow", "Bash(make:*)", "local", ".claude/settings.local.json:2"),
    ]


def test_an_untrusted_project_denies_only(load: Load, places: Places) -> None:
    text = '{"permissions": {"allow": ["Bash"], "ask": ["Read"], "deny": ["Bash(rm:*)"]}}'
    write(places, "project", text)
    write(places, "local", text)

    settings = load()

    assert {(rule.verdict, rule.tier) for rule in settings.rules} == {("deny", "project"), ("deny", "local")}
    assert ".claude/settings.json and .claude/settings.local.json: only its deny rules" in settings.notes[0]


def test_trust_ends_when_a_file_changes(load: Load, places: Places) -> None:
    write(places, "project", '{"permissions": {"allow": ["Bash(ls:*)"]}}')
    trust(places, effective_files(places.root))
    assert len(load().rules) == 1

    write(places, "project", '{"permissions": {"allow": ["Bash"]}}')
    assert load().rules == ()


@pytest.mark.parametrize("scope", ["project", "local"])
def test_what_is_put_there_after_the_look_only_denies(places: Places, scope: Scope) -> None:
    write(places, scope, '{"permissions": {"allow": ["Bash(ls:*)"]}}')
    trust(places, effective_files(places.root))
    stand = standing(places)

    write(places, scope, '{"permissions": {"allow": ["Bash"], "ask": ["Read"], "deny": ["Bash(rm:*)"]}}')

    found = read_foreign(places, stand).settings
    assert [(each.value, each.ignored) for each in found] == [
        ("Bash", UNTRUSTED),
        ("Read", UNTRUSTED),
        ("Bash(rm:*)", ""),
    ]


@pytest.mark.parametrize(
    ("mode", "folder", "said"),
    [
        (0o666, 0o700, "everybody may write it"),
        (0o600, 0o777, "everybody may write "),
    ],
)
def test_a_file_of_the_person_that_others_could_write_is_an_error_of_the_rules(
    load: Load, places: Places, mode: int, folder: int, said: str
) -> None:
    write(places, "user", '{"permissions": {"allow": ["Bash"]}}')
    path = foreign_file(places, "user")
    path.chmod(mode)
    path.parent.chmod(folder)

    settings = load()

    (error,) = settings.rule_errors
    assert f"{path} is not believed: {said}" in error
    assert error in settings.notes
    assert settings.rules == ()


def test_a_directory_of_others_without_a_file_is_no_error(load: Load, places: Places) -> None:
    folder = foreign_file(places, "user").parent
    folder.mkdir()
    folder.chmod(0o777)

    assert load().rule_errors == ()


def test_mode_and_directories_are_never_taken(load: Load, places: Places) -> None:
    text = (
        '{"permissions": {"defaultMode": "bypassPermissions", "additionalDirectories": ["/"]}, "model": "x"}'
    )
    write(places, "user", text)
    write(places, "project", text)
    trust(places, effective_files(places.root))

    settings = load()

    assert (settings.mode, settings.additional_directories, settings.model) == ("default", (), None)
    assert [note.partition(" is not honoured")[0] for note in settings.unheeded] == [
        f"{file}:1: {key}"
        for file in ("~/.claude/settings.json", ".claude/settings.json")
        for key in ("permissions.defaultMode", "permissions.additionalDirectories", "model")
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{broken", ".claude/settings.json:1: not JSON"),
        ('{"permissions": {"deny": ["Read(.env)"],}}', ".claude/settings.json:1: not JSON"),
        ("[1]", "not a JSON object"),
        ('{"permissions": []}', "permissions is not an object"),
        (
            '{"permissions":\n{"deny": "Read"}}',
            ".claude/settings.json:2: permissions.deny is not a list of rules",
        ),
        (
            '{"permissions": {"allow": ["Read",\n5]}}',
            ".claude/settings.json:2: permissions.allow is not the text",
        ),
        ("[" * 100_000, "not JSON: nested too deeply"),
        (r'{"hooks": {"\ud800": []}}', "not JSON: it holds half of a surrogate pair"),
    ],
)
def test_what_may_have_been_a_deny_is_an_error_of_the_rules(
    load: Load, places: Places, text: str, said: str
) -> None:
    write(places, "project", text)

    settings = load()

    (error,) = settings.rule_errors
    assert said in error
    assert "deny" in error
    assert error in settings.notes


def test_a_file_that_is_none_is_an_error_of_the_rules(load: Load, places: Places) -> None:
    foreign_file(places, "project").mkdir(parents=True)

    assert "not a regular file" in load().rule_errors[0]


def test_the_sound_rules_of_a_flawed_file_count(load: Load, places: Places) -> None:
    write(places, "project", '{"permissions": {"deny": ["Bash(rm:*)", {}]}}')

    assert [rule.text for rule in load().rules] == ["Bash(rm:*)"]


def test_an_empty_file_and_a_byte_order_mark_are_no_errors(load: Load, places: Places) -> None:
    write(places, "project", "")
    write(places, "local", '\ufeff{"permissions": {"deny": ["Read"]}}')

    settings = load()

    assert settings.rule_errors == ()
    assert rules(settings) == [("deny", "Read", "local", ".claude/settings.local.json:1")]


def test_a_home_directory_as_project_reads_its_file_once(places: Places, env: dict[str, str]) -> None:
    from roocode.interaction.config.load import load_settings

    write(places, "user", '{"permissions": {"deny": ["Read"]}}')

    assert rules(load_settings(places.person, env)) == [("deny", "Read", "user", ".claude/settings.json:1")]


@pytest.mark.skipif(not _REAL.is_dir(), reason="the shared corpus is not here")
def test_real_files_load_with_the_line_of_every_rule(load: Load, places: Places) -> None:
    for file in sorted(_REAL.iterdir()):
        text = file.read_text(encoding="utf-8")
        write(places, "user", text)
        settings = load()
        wanted = json.loads(text).get("permissions", {})

        assert settings.rule_errors == (), file.name
        assert len(settings.rules) == sum(len(wanted.get(name, ())) for name in ("allow", "ask", "deny"))
        lines = text.splitlines()
        for rule in settings.rules:
            number = int(rule.source.rpartition(":")[2])
            assert json.dumps(rule.text, ensure_ascii=False) in lines[number - 1], file.name


def test_hooks_are_read_with_their_lines_and_what_is_not_honoured(load: Load, places: Places) -> None:
    hooks = '{"Stop": [{"hooks": [{"type": "command", "command": "x"},\n{"type": "mcp_tool"}]}], "Nope": []}'
    write(places, "project", f'{{"hooks":\n{hooks}}}')
    assert load().hooks == ()
    assert "only its deny rules count" in load().notes[0]
    trust(places, effective_files(places.root))

    settings = load()

    [line] = settings.hooks
    assert (line.tier, line.source) == ("project", ".claude/settings.json:2")
    assert line.data["claude"]["event"] == "stop"
    assert [note.partition(": ")[2] for note in settings.unheeded] == [
        "hooks.Stop.0.hooks.1.type is not honoured: hooks that call an MCP server's tool are not run",
        "hooks.Nope is not honoured: there is no such event",
    ]


def test_all_hooks_of_a_file_can_be_off(load: Load, places: Places) -> None:
    stop = '"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}'
    write(places, "user", f'{{"disableAllHooks": true, {stop}}}')
    assert (load().hooks, load().unheeded) == ((), ())


def test_trust_ends_when_a_script_below_the_hooks_folder_changes(load: Load, places: Places) -> None:
    write(places, "project", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}')
    script = places.root / ".claude" / "hooks" / "x.sh"
    script.parent.mkdir()
    script.write_text("true\n")
    trust(places, effective_files(places.root))
    assert len(load().hooks) == 1

    script.write_text("evil\n")

    assert load().hooks == ()
