"""Splits a Markdown file into its YAML front matter, as text, and its body."""

from __future__ import annotations


def split(text: str) -> tuple[str, str]:
    """Returns (front matter without its fences, body); the first is empty where there is none.

    A byte order mark and CRLF endings do not hide the fences.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith("---\n"):
        return "", text
    head, fence, body = text[4:].partition("\n---\n")
    if not fence:
        if head.endswith("\n---"):
            return head.removesuffix("\n---"), ""
        return "", text
    return head, body.lstrip("\n")
