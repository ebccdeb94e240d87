"""A server written with the protocol's own package: all that one may ask and offer, on either transport."""

from __future__ import annotations

import asyncio
import base64
import sys
from typing import Annotated

from mcp.server.mcpserver import Context, Elicit, Image, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
server = MCPServer("full", version="1", instructions="Ask it for a colour.", log_level="ERROR")


class Colour(BaseModel):
    """What is asked of the person."""

    colour: str


def ask_colour(ctx: Context) -> Elicit[Colour]:
    return Elicit("Which colour?", Colour)


@server.tool()
async def paint(what: str, answer: Annotated[Colour, Resolve(ask_colour)]) -> str:
    """Paints it in a colour of the person's."""
    return f"{what} is {answer.colour}"


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Counts, and says how far it is."""
    for number in range(1, to + 1):
        await ctx.report_progress(number, to, f"at {number}")
    return "counted"


@server.tool()
async def hang(ctx: Context) -> str:
    """Never ends by itself."""
    try:
        await ctx.report_progress(0, 1, "hanging")
        await asyncio.Event().wait()
    finally:
        print("hang was cancelled", file=sys.stderr, flush=True)
    return ""


def thought(ctx: Context) -> Sample:
    content = TextContent(type="text", text="What do you think?")
    return Sample([SamplingMessage(role="user", content=content)], max_tokens=50)


@server.tool()
async def think(answer: Annotated[CreateMessageResult, Resolve(thought)]) -> str:
    """Asks the model of whoever calls it."""
    return f"the model says: {getattr(answer.content, 'text', '')}"


def places(ctx: Context) -> ListRoots:
    return ListRoots()


@server.tool()
async def where(found: Annotated[ListRootsResult, Resolve(places)]) -> str:
    """Says where its caller works."""
    return " ".join(str(root.uri) for root in found.roots)


@server.tool()
def picture() -> Image:
    """A picture of one dot."""
    return Image(data=PICTURE, format="png")


@server.tool()
def fails() -> str:
    """Always fails."""
    raise ValueError("it is broken")


@server.tool()
async def grow(ctx: Context) -> str:
    """Adds a tool to the list."""

    def grown() -> str:
        """New."""
        return "grown"

    server.add_tool(grown)
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "there is one more"


@server.resource("note://one")
def note() -> str:
    """A note."""
    return "the note says: 1"


@server.resource("note://{number}/copy")
def copy(number: str) -> str:
    """A copy of a note."""
    return f"copy {number}"


@server.prompt()
def greet(name: str, tone: str = "kind") -> str:
    """Greets somebody."""
    return f"Greet {name} in a {tone} tone."


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run()
