"""Dispatches the command lines that run no agent of their own."""

from __future__ import annotations

from typing import assert_never

from roocode.app.masking import guarded_stdout
from roocode.interaction.cli.extension_orders import (
    HooksList,
    HooksShow,
    HooksTest,
    InstalledList,
    InstalledShow,
    MarketplaceAdd,
    MarketplaceList,
    MarketplaceRemove,
    McpAdd,
    McpGet,
    McpList,
    McpProbe,
    McpRemove,
    McpTest,
    PluginsInstall,
    PluginsList,
    PluginsRemove,
    PluginsShow,
    SkillsNew,
)
from roocode.interaction.cli.orders import (
    Completion,
    ConfigGet,
    ConfigPath,
    ConfigSet,
    ConfigShow,
    Doctor,
    InspectOrder,
    Order,
    PermissionsCheck,
    PermissionsExplain,
    PermissionsList,
    ProviderTest,
    SessionsExport,
    SessionsList,
    SessionsShow,
    SessionsVerify,
    TeamAnswer,
    TeamAttach,
    TeamCleanup,
    TeamList,
    TeamLogs,
    TeamMerge,
    TeamMessage,
    TeamStatus,
    TeamStop,
    TeamTasks,
    TrustDirectory,
    TrustList,
    TrustRevoke,
)
from roocode.security.isolation.secrets import Secrets


def carry_out(order: Order, secrets: Secrets) -> int:
    """Carries out an order and returns the exit code."""
    match order:
        case (
            TeamStatus()
            | TeamList()
            | TeamAttach()
            | TeamMessage()
            | TeamTasks()
            | TeamLogs()
            | TeamStop()
            | TeamAnswer()
            | TeamMerge()
            | TeamCleanup()
        ):
            from roocode.app.team_orders import team_order

            return team_order(order, secrets)
        case SessionsList() | SessionsShow() | SessionsVerify() | SessionsExport():
            from roocode.app.session_orders import session_order

            return session_order(order, secrets)
        case _:
            with guarded_stdout(secrets):
                return _inspect(order, secrets)


def _inspect(order: InspectOrder, secrets: Secrets) -> int:
    match order:
        case TrustDirectory() | TrustList() | TrustRevoke():
            from roocode.app.inspect.trusting import trust_order

            return trust_order(order)
        case PermissionsCheck() | PermissionsList() | PermissionsExplain():
            from roocode.app.inspect.permissions import permissions_order

            return permissions_order(order)
        case ConfigShow() | ConfigGet() | ConfigSet() | ConfigPath():
            from roocode.app.inspect.configuration import config_order

            return config_order(order, secrets)
        case SkillsNew():
            from roocode.app.inspect.new_skill import new_skill

            return new_skill(order)
        case InstalledList() | InstalledShow():
            from roocode.app.inspect.installed import installed_order

            return installed_order(order)
        case (
            PluginsList()
            | PluginsShow()
            | PluginsInstall()
            | PluginsRemove()
            | MarketplaceAdd()
            | MarketplaceList()
            | MarketplaceRemove()
        ):
            from roocode.app.inspect.plugins import plugins_order

            return plugins_order(order)
        case HooksList() | HooksShow() | HooksTest():
            from roocode.app.inspect.hooks import hooks_order

            return hooks_order(order, secrets)
        case Doctor():
            from roocode.app.inspect.doctor import doctor

            return doctor(order, secrets)
        case ProviderTest():
            from roocode.app.inspect.provider_testing import test_provider

            return test_provider(order)
        case McpList() | McpGet() | McpTest() | McpAdd() | McpRemove():
            from roocode.app.inspect.mcp import mcp_order

            return mcp_order(order, secrets)
        case McpProbe():
            from roocode.app.mcp.probe import probe

            return probe(order)
        case Completion():
            from roocode.app.inspect.completion import completion

            return completion(order)
        case _:
            assert_never(order)
