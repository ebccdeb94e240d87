"""From a name to a service: address and key as one pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from roocode.interaction.config.places import Places
from roocode.interaction.config.providers import (
    NOTHING_SET,
    ResolvedModel,
    resolve_model,
    usable_providers,
)
from roocode.interaction.config.settings import ProviderConfig, Settings
from roocode.protocol.errors import UserError

PLACES = Places(Path("/h/.roocode"), Path("/p"), Path("/h"))

ANTHROPIC = {"ANTHROPIC_API_KEY": "sk-a"}
OPENAI = {"OPENAI_API_KEY": "sk-o"}


def settings(
    *providers: ProviderConfig, model: str | None = None, aliases: dict[str, str] | None = None
) -> Settings:
    """Settings with these providers."""
    return Settings(
        PLACES, model=model, providers={each.name: each for each in providers}, aliases=aliases or {}
    )


def pair(resolved: ResolvedModel) -> tuple[str, str | None]:
    """Address and key."""
    return resolved.base_url, resolved.api_key


DEEPSEEK = ProviderConfig("deepseek", "openai", "https://api.deepseek.com", "DEEPSEEK_API_KEY")
OLLAMA = ProviderConfig("ollama", "openai", "http://127.0.0.1:11434/v1")


def test_the_built_in_service_may_speak_its_other_protocol() -> None:
    own = ProviderConfig("openai", "openai-responses")
    chosen = resolve_model(settings(own), "openai/x", {**OPENAI, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert (chosen.protocol, pair(chosen)) == ("openai-responses", ("http://127.0.0.1:1/v1", "sk-o"))
    assert pair(resolve_model(settings(own), "openai/x", OPENAI)) == ("https://api.openai.com/v1", "sk-o")


def test_a_key_alone_chooses_its_provider_at_its_public_address() -> None:
    chosen = resolve_model(settings(), None, OPENAI)

    assert (chosen.provider, chosen.protocol, chosen.model) == ("openai", "openai", None)
    assert pair(chosen) == ("https://api.openai.com/v1", "sk-o")
    assert resolve_model(settings(), None, {**OPENAI, **ANTHROPIC}).provider == "anthropic"


def test_without_any_key_one_line_says_what_to_set() -> None:
    with pytest.raises(UserError) as caught:
        resolve_model(settings(), None, {})

    assert str(caught.value) == f"no key is set: {NOTHING_SET}"
    assert caught.value.exit_code == 42


def test_an_address_from_the_environment_takes_the_key_of_its_provider_only() -> None:
    env = {**ANTHROPIC, **OPENAI, "ANTHROPIC_BASE_URL": "https://gate.example"}

    assert pair(resolve_model(settings(), "anthropic/x", env)) == ("https://gate.example", "sk-a")
    assert pair(resolve_model(settings(), "openai/x", env)) == ("https://api.openai.com/v1", "sk-o")


def test_an_address_without_a_key_is_asked_without_one() -> None:
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}

    chosen = resolve_model(settings(), None, env)

    assert pair(chosen) == ("http://127.0.0.1:9/v1", None)
    assert "sk" not in repr(resolve_model(settings(), None, ANTHROPIC))


def test_a_configured_address_never_gets_another_key() -> None:
    own = ProviderConfig("anthropic", "anthropic", "https://own.example")

    assert pair(resolve_model(settings(own), "anthropic/x", ANTHROPIC)) == ("https://own.example", None)
    assert pair(resolve_model(settings(OLLAMA), "ollama/x", OPENAI)) == (OLLAMA.base_url, None)


def test_an_address_from_the_environment_never_gets_the_key_of_a_configured_address() -> None:
    own = ProviderConfig("anthropic", "anthropic", "https://own.example", "OWN_KEY")
    env = {"OWN_KEY": "own", "ANTHROPIC_BASE_URL": "https://gate.example"}

    assert pair(resolve_model(settings(own), "anthropic/x", env)) == ("https://gate.example", None)


def test_a_configured_key_of_a_built_in_provider_goes_to_its_address() -> None:
    own = ProviderConfig("anthropic", "anthropic", api_key_env="OWN_KEY")
    env = {"OWN_KEY": "own", **ANTHROPIC}

    assert pair(resolve_model(settings(own), "anthropic/x", env)) == ("https://api.anthropic.com", "own")


def test_a_provider_of_another_protocol_does_not_take_the_environments_address() -> None:
    own = ProviderConfig("anthropic", "openai", "https://own.example/v1", "OWN_KEY")
    env = {"OWN_KEY": "own", "ANTHROPIC_BASE_URL": "https://gate.example", **ANTHROPIC}

    assert pair(resolve_model(settings(own), "anthropic/x", env)) == ("https://own.example/v1", "own")


def test_a_key_that_is_named_and_not_set_is_an_error_but_not_on_this_machine() -> None:
    with pytest.raises(UserError, match="DEEPSEEK_API_KEY is not set"):
        resolve_model(settings(DEEPSEEK), "deepseek/x", OPENAI)
    with pytest.raises(UserError, match="ANTHROPIC_API_KEY is not set"):
        resolve_model(settings(), "anthropic/x", OPENAI)

    local = ProviderConfig("local", "openai", "http://localhost:1/v1", "LOCAL_KEY")
    assert pair(resolve_model(settings(local), "local/x", {})) == (local.base_url, None)


def test_an_id_is_sent_unchecked_with_its_slashes() -> None:
    assert resolve_model(settings(OLLAMA), "ollama/org/model:7b", {}).model == "org/model:7b"


def test_aliases_are_followed() -> None:
    known = settings(aliases={"fast": "haiku", "haiku": "anthropic/claude-haiku"})

    assert resolve_model(known, "fast", ANTHROPIC).model == "claude-haiku"


def test_an_alias_that_leads_to_itself_is_an_error() -> None:
    with pytest.raises(UserError, match="leads to itself"):
        resolve_model(settings(aliases={"a": "b", "b": "a"}), "a", ANTHROPIC)


def test_a_providers_name_means_its_default_model() -> None:
    own = ProviderConfig("own", "openai", "http://own.example", default_model="m")

    assert resolve_model(settings(), "anthropic", ANTHROPIC).model is None
    assert resolve_model(settings(own), "own", {}).model == "m"
    assert resolve_model(settings(own), None, {}).model == "m"
    with pytest.raises(UserError, match="no default model"):
        resolve_model(settings(OLLAMA), "ollama", {})
    with pytest.raises(UserError, match="no model is chosen"):
        resolve_model(settings(OLLAMA), None, {})


@pytest.mark.parametrize(
    ("name", "what", "mend"),
    [
        ("sonet", "unknown model 'sonet'", "did you mean sonnet?"),
        ("antropic/x", "unknown provider 'antropic'", "did you mean anthropic/x?"),
        ("zzz", "unknown model 'zzz'", "write provider/model-id or an alias"),
        ("anthropic/", "names no model", "write anthropic/MODEL-ID"),
    ],
)
def test_a_name_that_is_not_known_names_the_nearest(name: str, what: str, mend: str) -> None:
    with pytest.raises(UserError) as caught:
        resolve_model(settings(aliases={"sonnet": "anthropic/x"}), name, ANTHROPIC)

    assert what in caught.value.what
    assert mend in caught.value.mend


def test_the_configured_model_is_taken_where_none_is_named() -> None:
    assert resolve_model(settings(model="openai/m"), None, {**ANTHROPIC, **OPENAI}).model == "m"


def test_the_sdks_own_credentials_need_no_key_of_ours() -> None:
    bedrock = ProviderConfig("anthropic", "anthropic", platform="bedrock")

    chosen = resolve_model(settings(bedrock), "anthropic/x", ANTHROPIC)

    assert (chosen.platform, chosen.api_key) == ("bedrock", None)


def test_usable_providers_name_those_with_a_key_first() -> None:
    assert usable_providers(settings(OLLAMA, DEEPSEEK), OPENAI) == ("openai", "ollama")


def test_a_provider_that_is_set_up_half_stops_nobody_who_does_not_ask_for_it() -> None:
    half = settings(ProviderConfig("deepseek", "openai"))
    assert resolve_model(half, None, ANTHROPIC).provider == "anthropic"
    with pytest.raises(UserError, match="'deepseek' has no base_url"):
        resolve_model(half, "deepseek/x", ANTHROPIC)
