"""A line as a reader may take it: look-alike letters, unusual blanks and invisible characters made plain."""

from __future__ import annotations

import unicodedata

_LETTERS = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеорсухіјѕԁԛԝһӏвкмтгпиԍΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγεικνορτυχωıȷɡɩ∕⁄⧸∖﹨－‐‑‒–—−﹣˗＿",
    "ABESIJKMHOPCTXYaeopcyxijsdqwhlBkmtrnuGABEZHIKMNOPTYXayeiKvoptuxwijgi///\\\\---------_",
)
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_NO_TEXT = frozenset({"Cf", "Cc", "Cs", "Co", "Cn"})
_ORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def reorders(text: str) -> bool:
    """Whether the text holds controls that show it in another order than it has."""
    return not _ORDERING.isdisjoint(text)


def hides(text: str) -> bool:
    """Whether characters in it are not shown, or shown as blanks that Bash takes for letters.

    Selectors and joiners between other characters outside ASCII are parts of an emoji, so they are shown.
    """
    if _is_plain(text):
        return False
    for at, character in enumerate(text):
        if character.isascii():
            if character < " " and character not in "\t\n":
                return True
        elif _is_hidden(character) and not (_in_emoji(character) and at and not text[at - 1].isascii()):
            return True
    return False


def as_read(text: str) -> str:
    """The text with look-alikes of ASCII replaced by it, and what is not shown left out."""
    if _is_plain(text):
        return text
    out: list[str] = []
    for character in _without_sequences(text):
        if character in "\r\v\f":
            out.append("\n")
        elif character.isascii():
            out.append(character if character >= " " or character in "\t\n" else "")
        elif unicodedata.category(character) in ("Mn", "Me"):
            continue
        elif character in _BLANK_LETTERS or unicodedata.category(character) in ("Zs", "Zl", "Zp"):
            out.append("\n" if unicodedata.category(character) in ("Zl", "Zp") else " ")
        elif not _is_hidden(character):
            out.append(unicodedata.normalize("NFKC", character).translate(_LETTERS))
    return "".join(out)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _without_sequences(text: str) -> str:
    """The text without the terminal's control sequences: from ESC to the letter that ends one."""
    parts = text.split("\x1b")
    kept = [parts[0]]
    for part in parts[1:]:
        end = next((at for at, character in enumerate(part) if character.isalpha() or character == "\a"), -1)
        kept.append(part[end + 1 :])
    return "".join(kept)


def _is_hidden(character: str) -> bool:
    if character.isascii():
        return False
    category = unicodedata.category(character)
    return (
        category in _NO_TEXT
        or category in ("Zs", "Zl", "Zp")
        or character in _BLANK_LETTERS
        or _selects(character)
    )


def _in_emoji(character: str) -> bool:
    return character == "\u200d" or _selects(character)


def _selects(character: str) -> bool:
    """Variation selectors choose another shape of the letter before them."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
