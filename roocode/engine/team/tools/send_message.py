"""SendMessage: a word to another agent of the team."""

from __future__ import annotations

from collections.abc import Mapping

from roocode.engine.team.tools.ports import Post
from roocode.engine.team.tools.schema import SchedulingTool, Schema, text
from roocode.protocol.messages import Arguments

STRUCTURED: Schema = {
    "type": "object",
    "description": "A typed message",
    "properties": {
        "type": text("Which type", least=1),
        "text": text("The words of a message or status_update"),
        "approve": {"type": "boolean", "description": "The answer of a response"},
        "reason": text("Why"),
        "feedback": text("What to change in a plan that is not approved"),
        "inReplyTo": text("The id of the message that it answers"),
    },
    "required": ["type"],
}


class SendMessage(SchedulingTool):
    """Sends text, or a typed message, to a name, an agent id or everyone."""

    def __init__(self, post: Post) -> None:
        fields = {
            "to": text("A name, an agent id, or * for everyone else in the team", least=1),
            "summary": text("5 to 10 words that say what the message is about; needed for text"),
            "message": {"anyOf": [text("The words", least=1), STRUCTURED]},
        }
        super().__init__("SendMessage", __file__, fields, ("to", "message"))
        self._post = post

    def complaint(self, arguments: Arguments) -> str:
        """Also that plain text needs a summary."""
        if problem := super().complaint(arguments):
            return problem
        if isinstance(arguments["message"], str) and not arguments.get("summary", "").strip():
            return "summary: missing, expected 5 to 10 words that say what the message is about"
        return ""

    async def act(self, arguments: Arguments) -> str:
        """What came of it for each receiver."""
        message = arguments["message"]
        content = dict(message) if isinstance(message, Mapping) else message
        return await self._post.send(arguments["to"], arguments.get("summary", ""), content)
