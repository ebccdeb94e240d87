"""HTML elements without an end tag, and end tags without an element; browsers take nearly all else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roocode.tools.syntax.fault import Fault, fault

_NAMES = """
    a abbr address article aside audio b blockquote button canvas cite code data dialog div dl em fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header i iframe ins kbd label legend main map mark menu
    nav noscript object ol output picture pre progress q s samp script section select small span strong style
    sub summary sup svg table template textarea time title u ul var video
"""
_PAIRED = frozenset(_NAMES.split())
"""Elements that must have an end tag."""
_FAULTS = 50
_RAW = frozenset({"script", "style", "textarea", "title"})
"""Elements whose content is text up to their end tag."""
_TAG = re.compile(r"""<!--|<(/?)([A-Za-z][\w:-]*+)((?:"[^"]*+"|'[^']*+'|[^'"<>])*+)>""")


def tag_faults(text: str) -> tuple[Fault, ...]:
    """The tags without a partner, in the order of the text; each kind of element is matched by itself."""
    open_tags: dict[str, list[int]] = {}
    faults: list[Fault] = []
    for start, name, ends in _tags(text):
        if name not in _PAIRED:
            continue
        if not ends:
            open_tags.setdefault(name, []).append(start)
        elif open_tags.get(name):
            open_tags[name].pop()
        elif len(faults) < _FAULTS:
            faults.append(_at(text, start, f"`</{name}>` ends no open element"))
    for name, starts in open_tags.items():
        faults += [_at(text, start, f"`<{name}>` is not closed") for start in starts[:_FAULTS]]
    return tuple(sorted(faults, key=lambda each: each.line))


def _tags(text: str) -> Iterator[tuple[int, str, bool]]:
    """Where each tag is, its lower-case name, and whether it is an end tag; `<path/>` is none."""
    at = 0
    while found := _TAG.search(text, at):
        at = found.end()
        if found[2] is None:
            end = text.find("-->", at)
            if end < 0:
                return
            at = end + 3
            continue
        name, ends = found[2].lower(), bool(found[1])
        if ends or not found[3].endswith("/"):
            yield found.start(), name, ends
        if name in _RAW and not ends:
            closing = re.compile(rf"</{name}\b", re.I).search(text, at)
            if closing is None:
                return
            at = closing.start()


def _at(text: str, start: int, says: str) -> Fault:
    return fault(text.count("\n", 0, start) + 1, says)
