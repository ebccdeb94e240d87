"""Tools such as servers bring, with names as real servers have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roocode.protocol.decisions import Decision
from roocode.protocol.messages import Arguments
from roocode.protocol.tools import ToolOutcome, ToolSpec, Touches

_VERBS = ("create", "list", "get", "update", "delete", "search")
_THINGS = {
    "github": "issue pull_request repository_file workflow_run release",
    "gitlab": "merge_request pipeline project_member branch_protection snippet",
    "jira": "issue_comment sprint board worklog attachment",
    "slack": "channel_message user_profile reminder_item canvas bookmark",
    "notion": "database page_property block_children comment workspace_user",
    "postgres": "table_row index_definition role_grant view_source query_plan",
    "kubernetes": "pod_log deployment config_map service_account ingress_rule",
    "stripe": "customer invoice_item payment_intent subscription_plan refund",
    "sentry": "project_event issue_alert release_health team_member saved_query",
    "figma": "file_component design_token team_library comment_thread export_setting",
}
"""Ten servers with thirty tools each."""


@dataclass
class Remote:
    """A tool that answers with what it was given."""

    name: str
    description: str = "Does something elsewhere and returns what it did."
    parameters: dict[str, Any] = field(
        default_factory=lambda: {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "Which one it is about, as the server names it."},
                "fields": {"type": "object", "description": "What is to be set or filtered by, by field."},
            },
            "required": ["id"],
        }
    )

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, self.parameters)

    def complaint(self, arguments: Arguments) -> str:
        return "" if "id" in arguments else "`id` is missing"

    def touches(self, arguments: Arguments) -> Touches:
        return Touches(other=True)

    def runs_alongside(self, arguments: Arguments) -> bool:
        return False

    def preview(self, arguments: Arguments) -> str:
        return ""

    async def run(self, arguments: Arguments, decision: Decision) -> ToolOutcome:
        return ToolOutcome(f"{self.name} did {arguments['id']}")


def tools_of(server: str, count: int = 30) -> list[Remote]:
    """The tools of one of the ten servers."""
    names = [f"{verb}_{thing}" for thing in _THINGS[server].split() for verb in _VERBS]
    return [
        Remote(f"mcp__{server}__{name}", f"{name.replace('_', ' ').capitalize()} in {server}.")
        for name in names[:count]
    ]


SERVERS = tuple(_THINGS)
