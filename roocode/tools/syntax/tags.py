"""HTML elements without an end tag, and end tags without an element; browsers take nearly all else."""

from __future__ import annotations

from html.parser import HTMLParser

from roocode.tools.syntax.fault import Fault, fault

_NAMES = """
    a abbr address article aside audio b blockquote button canvas cite code data dialog div dl em fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header i iframe ins kbd label legend main map mark menu
    nav noscript object ol output picture pre progress q s samp script section select small span strong style sub
    summary sup svg table template textarea time title u ul var video
"""
_PAIRED = frozenset(_NAMES.split())
"""Elements that must have an end tag."""
_LARGEST = 300_000


def tag_faults(text: str) -> tuple[Fault, ...]:
    """The tags without a partner, in the order of the text; each kind of element is matched by itself."""
    if len(text) > _LARGEST:
        return ()
    tags = _Tags(convert_charrefs=False)
    tags.feed(text)
    tags.close()
    still_open = [
        fault(line, f"`<{name}>` is not closed") for name, lines in tags.open.items() for line in lines
    ]
    return tuple(sorted([*tags.faults, *still_open], key=lambda each: each.line))


class _Tags(HTMLParser):
    def __init__(self, *, convert_charrefs: bool) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.open: dict[str, list[int]] = {}
        self.faults: list[Fault] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _PAIRED:
            self.open.setdefault(tag, []).append(self.getpos()[0])

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """`<path/>`: closed at once."""

    def handle_endtag(self, tag: str) -> None:
        if tag not in _PAIRED:
            return
        if self.open.get(tag):
            self.open[tag].pop()
        else:
            self.faults.append(fault(self.getpos()[0], f"`</{tag}>` ends no open element"))
