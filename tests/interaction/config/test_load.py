"""Which place wins, what adds up, and what a project's files may not say."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from roocode.interaction.config.explain import defaults, explain, in_words
from roocode.interaction.config.places import Places
from roocode.interaction.config.schema import ConfigFile
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import Flag
from roocode.interaction.config.trust import effective_files, trust
from roocode.protocol.errors import UserError

Load = Callable[..., Settings]


HOOK = "{event: stop, action: {type: hint, text: a}}"


def write(places: Places, scope: str, text: str) -> None:
    """Writes a configuration file."""
    path = places.config(scope)  # type: ignore[arg-type]
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def trust_now(places: Places) -> None:
    """A person's yes to what is there."""
    trust(places, effective_files(places.root))


def test_nothing_set_gives_the_defaults(load: Load) -> None:
    settings = load()

    assert (settings.model, settings.mode, settings.max_turns) == (None, "default", 50)
    assert settings.team.coordinator
    assert settings.notes == ()


def test_a_nearer_place_wins(load: Load, places: Places) -> None:
    write(places, "user", "model: user\n")
    write(places, "project", "model: project\n")
    trust_now(places)
    assert load().model == "project"

    write(places, "local", "model: local\n")
    trust_now(places)
    assert load().model == "local"
    assert load(ROOCODE_MODEL="env").model == "env"
    assert load(Flag(("model",), "flag", "--model"), ROOCODE_MODEL="env").model == "flag"


def test_a_project_may_tighten_the_sandbox_and_nothing_else(load: Load, places: Places) -> None:
    assert load().sandbox == "auto"
    write(places, "user", "sandbox: off\n")
    assert load().sandbox == "off"
    write(places, "project", "sandbox: required\n")
    assert load().sandbox == "off"
    trust_now(places)
    assert load().sandbox == "required"
    for looser in ("off", "auto"):
        write(places, "user", "sandbox: required\n")
        write(places, "project", f"sandbox: {looser}\n")
        trust_now(places)
        assert load().sandbox == "required"
        assert "sandbox is never read from a project's files" in " ".join(load().notes)
    assert load(ROOCODE_SANDBOX="off").sandbox == "off"
    with pytest.raises(UserError, match="ROOCODE_SANDBOX=on is no mode of the sandbox"):
        load(ROOCODE_SANDBOX="on")


def test_scalars_of_one_mapping_are_merged_one_by_one(load: Load, places: Places) -> None:
    write(places, "user", "team: {max_teammates: 2, backend: tmux}\naliases: {a: x/1, b: x/2}\n")
    write(places, "project", "team: {backend: in-process}\naliases: {b: y/2}\n")
    trust_now(places)

    settings = load()

    assert (settings.team.max_teammates, settings.team.backend) == (2, "in-process")
    assert settings.aliases == {"a": "x/1", "b": "y/2"}


def test_rules_and_hooks_add_up_with_their_lines(load: Load, places: Places) -> None:
    write(places, "user", 'permissions:\n  allow:\n    - "Bash(ls)"\nhooks: [' + HOOK + "]\n")
    write(
        places,
        "project",
        "permissions: {deny: [Bash(rm *)]}\nhooks: [" + HOOK.replace("stop", "notification") + "]\n",
    )
    trust_now(places)

    settings = load(Flag(("permissions", "allow"), "ReadFile", "--allowed-tools"))

    assert [(rule.verdict, rule.text, rule.tier, rule.source) for rule in settings.rules] == [
        ("allow", "Bash(ls)", "user", "~/.roocode/config.yaml:3"),
        ("deny", "Bash(rm *)", "project", ".roocode/config.yaml:1"),
        ("allow", "ReadFile", "session", "--allowed-tools"),
    ]
    assert [hook.data["event"] for hook in settings.hooks] == ["stop", "notification"]
    assert [(hook.tier, hook.source) for hook in settings.hooks] == [
        ("user", "~/.roocode/config.yaml:4"),
        ("project", ".roocode/config.yaml:2"),
    ]


def test_of_an_untrusted_project_only_deny_rules_count(load: Load, places: Places) -> None:
    write(
        places,
        "project",
        "model: x/y\naliases: {a: b/c}\nteam: {verify: make}\nworktree: {setup: evil, copy: [.env]}\n"
        "permissions: {mode: plan, allow: [Bash], ask: [Glob], deny: [Bash(rm *)]}\nhooks: [" + HOOK + "]\n",
    )

    settings = load()

    assert (settings.model, settings.aliases, settings.mode, settings.hooks) == (None, {}, "default", ())
    assert settings.team.verify is None
    assert settings.team.verify_withheld == ".roocode/config.yaml:3"
    assert settings.worktree.setup is None
    assert settings.worktree.copy == ()
    assert [(rule.verdict, rule.text) for rule in settings.rules] == [("deny", "Bash(rm *)")]
    assert ["not trusted" in note for note in settings.notes] == [True]


def test_the_local_file_of_an_untrusted_directory_counts_no_more_than_the_projects(
    load: Load, places: Places
) -> None:
    write(places, "local", "model: x/y\npermissions: {allow: [Bash]}\n")

    assert load().model is None
    assert load().rules == ()


@pytest.mark.parametrize("scope", ["project", "local"])
def test_some_keys_are_never_read_from_a_project(load: Load, places: Places, scope: str) -> None:
    write(
        places,
        scope,
        "providers: {evil: {protocol: openai, base_url: 'http://evil.example'}}\n"
        "permissions: {mode: bypassPermissions, additional_directories: [/]}\n",
    )
    trust_now(places)

    settings = load()

    assert settings.trusted
    assert settings.providers == {}
    assert settings.mode == "default"
    assert settings.additional_directories == ()
    assert len([note for note in settings.notes if "never read from a project's files" in note]) == 3


def test_the_user_may_set_them(load: Load, places: Places, project: Path) -> None:
    write(
        places,
        "user",
        "providers: {own: {protocol: openai, base_url: 'http://own.example'}}\n"
        "permissions: {mode: bypassPermissions, additional_directories: [~/docs, ../other]}\n",
    )

    settings = load()

    assert settings.providers["own"].base_url == "http://own.example"
    assert settings.mode == "bypassPermissions"
    assert settings.additional_directories == (places.person / "docs", project.parent / "other")


def test_a_trusted_project_sets_what_it_may(load: Load, places: Places) -> None:
    write(places, "project", "team: {verify: make test}\nworktree: {setup: npm ci, symlink: [a]}\n")
    trust_now(places)

    settings = load()

    assert settings.team.verify is not None
    assert (settings.team.verify.text, settings.team.verify.source) == ("make test", ".roocode/config.yaml:1")
    assert settings.worktree.symlink == ("a",)
    assert [note.split()[1] for note in settings.notes] == ["worktree.symlink", "worktree.setup"]


def test_an_environment_file_of_the_project_is_never_loaded(load: Load, project: Path) -> None:
    """P26"""
    (project / ".env").write_text("ROOCODE_MODEL=evil/model\n")

    assert load().model is None


def test_a_broken_file_is_an_error_with_its_line(load: Load, places: Places) -> None:
    write(places, "local", "model: x\npermissions: {deny: [\n")

    with pytest.raises(UserError, match=r"\.roocode/config\.local\.yaml:2: not valid YAML"):
        load()


def test_what_is_no_regular_file_is_an_error_and_never_waited_for(load: Load, places: Places) -> None:
    path = places.config("project")
    for make in (path.mkdir, lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero")):
        make()
        with pytest.raises(UserError, match=r"\.roocode/config\.yaml: not a regular file"):
            load()
        path.rmdir() if path.is_dir() else path.unlink()


def test_a_file_of_absurd_size_is_an_error(load: Load, places: Places) -> None:
    write(places, "project", "#" * 1_000_001)

    with pytest.raises(UserError, match="larger than"):
        load()


def test_what_is_not_run_yet_is_said(load: Load, places: Places) -> None:
    write(places, "user", "mcp_servers: {a: {command: b}}\nworktree: {setup: npm ci}\n")

    assert load().notes == (
        "~/.roocode/config.yaml:2: worktree.setup is not supported by this version and has no effect",
    )


def test_explain_names_every_place_the_winner_last(load: Load, places: Places) -> None:
    write(places, "user", "# mine\nmodel: user\n")
    write(places, "project", "model: project\n")

    found = explain(load(ROOCODE_MODEL="env"), "model")

    assert [in_words(setting) for setting in found] == [
        "model = user   (~/.roocode/config.yaml:2)   overridden by ROOCODE_MODEL",
        "model = project   (.roocode/config.yaml:1)   ignored: this directory is not trusted",
        "model = env   (ROOCODE_MODEL)",
    ]


def test_explain_refuses_a_key_that_no_file_can_set(load: Load) -> None:
    with pytest.raises(UserError) as caught:
        explain(load(), "team.backed")

    assert caught.value.mend == "did you mean 'team.backend'?"


def test_a_project_that_is_the_home_directory_has_no_file_of_its_own(env: dict[str, str]) -> None:
    from roocode.interaction.config.load import load_settings

    home = Path(env["HOME"])
    (home / ".roocode").mkdir()
    (home / ".roocode/config.yaml").write_text("model: mine\n")

    settings = load_settings(home, env)

    assert settings.model == "mine"
    assert [setting.tier for setting in settings.account] == ["user"]


@pytest.mark.parametrize(("text", "seconds"), [("", 600.0), ("90", 90.0), ("off", None)])
def test_a_members_question_waits_ten_minutes_unless_told_otherwise(
    load: Load, places: Places, text: str, seconds: float | None
) -> None:
    write(places, "user", f"permissions: {{ask_timeout: {text}}}\n")
    assert load().ask_timeout_s == seconds


def scalar_defaults(model: type[BaseModel] = ConfigFile, under: str = "") -> dict[str, object]:
    """The keys of the schema that have a value where nothing sets them."""
    found: dict[str, object] = {}
    for name, info in model.model_fields.items():
        if isinstance(info.default, BaseModel):
            found |= scalar_defaults(type(info.default), f"{under}{name}.")
        elif isinstance(info.default, str | int | float):
            found[f"{under}{name}"] = info.default
    return found


def test_every_key_with_a_default_tells_it(load: Load, places: Places) -> None:
    expected = scalar_defaults()
    assert dict(defaults(load())) == expected

    write(places, "user", "permissions: {ask_timeout: off}\ncontext: {summary: 0.1}\n")
    assert dict(defaults(load())).keys() == expected.keys() - {"permissions.ask_timeout", "context.summary"}
