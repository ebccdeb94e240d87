"""The servers of a run: found in every place, with what the person should know of those left out."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.app.mcp.hosting import apart_from, learn_secrets, untrusted_note
from roocode.interaction.cli.requests import RunOptions
from roocode.interaction.config.settings import Settings
from roocode.interaction.config.sources import UNTRUSTED
from roocode.interaction.mcp.found import complaints, find_servers, used
from roocode.security.isolation.secrets import Secrets
from roocode.tools.mcp.config import ServerConfig


def servers_for_run(
    settings: Settings, run: RunOptions, env: Mapping[str, str], secrets: Secrets
) -> tuple[tuple[ServerConfig, ...], tuple[str, ...]]:
    """The configurations and the notes; `secrets` learns what stands in them. Raises UserError."""
    found = find_servers(settings, env, run.mcp_config, only_given=run.strict_mcp_config)
    configs = apart_from(settings, used(found))
    learn_secrets(secrets, configs)
    untrusted = [each.name for each in found if each.error == UNTRUSTED and not each.shadowed_by]
    return configs, (*untrusted_note(untrusted), *complaints(found))
