"""Draws Markdown with rich; imported when the first answer is drawn."""

from __future__ import annotations

import io
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.syntax import Syntax
from rich.theme import Theme

from roocode.interaction.ui.terminal.styles import trimmed

NARROWEST = 20
THEME = Theme({"markdown.code": "cyan", "markdown.h1": "bold underline", "markdown.h2": "bold"})
CODE_THEME = "ansi_dark"
PARSER = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
"""Knows no HTML, so tags in an answer are shown as they are."""


def ansi(text: str, width: int) -> str:
    """The Markdown as ANSI text; addresses of links stand beside their words, none is hidden."""
    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="256",
        width=max(width, NARROWEST),
        legacy_windows=False,
        theme=THEME,
    )
    console.print(_Markdown(text))
    return "\n".join(trimmed(line) for line in out.getvalue().split("\n")).strip("\n")


class _Heading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _CodeBlock(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=CODE_THEME, word_wrap=True, padding=(0, 2))


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = text
        self.parsed = PARSER.parse(text)
