"""What filters make of a text that is known, so that text which is put together is seen as it runs."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from roocode.security.permissions.shell.numbers import natural
from roocode.security.permissions.shell.options import Parsed, parse_options
from roocode.security.permissions.shell.programs import names
from roocode.security.permissions.shell.quoting import escapes
from roocode.security.permissions.shell.translate import transliterate
from roocode.security.permissions.shell.values import LONGEST, UNKNOWN, Field, Fields, Value, laid_together

_KEEPING = names("cat gcat tac sort uniq shuf tee pv nl column fold fmt expand unexpand sponge")
_READING = _KEEPING - names("tee sponge")
_NARROWING = names("tail grep egrep fgrep rg")
_DECODERS = names(
    "base64 gbase64 base32 basenc xxd openssl uudecode gunzip zcat gzip bunzip2 bzcat unxz xzcat gpg"
)
_TRANSFORMS = names("sed gsed awk gawk mawk paste perl python3 python ruby node php jq envsubst iconv dd")
_COMPRESSED = (b"\x1f\x8b", b"x\x9c", b"x\xda", b"x\x01")
_NUL_BYTE = "\u0100"
_MOST_REPEATED = 64


def input_files(name: str, arguments: Fields) -> Fields:
    """The files that a filter reads instead of its input; empty where it reads its input."""
    parsed = parse_options(arguments, names("-n -c -w -C -A -B -m -e -f -k -t"))
    if (
        name in _READING
        or name in ("head", "tail", "cut")
        or name in _DECODERS - {"openssl"}
        or name == "rev"
    ):
        files = parsed.operands
    elif name in ("grep", "egrep", "fgrep", "rg", "sed", "awk"):
        files = parsed.operands[0 if parsed.has("-e", "-f") else 1 :]
    else:
        files = []
    return tuple(file for file in files if file.text != "-")


def echoed(arguments: Fields) -> Field:
    """What `echo` writes."""
    at = 0
    flags: set[str] = set()
    while at < len(arguments) and arguments[at].text[:1] == "-" and set(arguments[at].text[1:]) <= set("neE"):
        if arguments[at].text == "-":
            break
        flags |= set(arguments[at].text[1:])
        at += 1
    line = laid_together(arguments[at:], " ")
    text = escapes(line.text, leading_zero=True) if "e" in flags else line.text
    return replace(line.with_text(text if "n" in flags else text + "\n"), quoted=False)


def formatted(arguments: Fields) -> Field:
    """What `printf` writes; the format is used again until no argument is left."""
    if arguments[:1] and arguments[0].text == "--":
        arguments = arguments[1:]
    if not arguments:
        return Field("")
    template, rest = arguments[0], list(arguments[:0:-1])
    written: list[Field] = []
    while True:
        before = len(rest)
        written.append(_once(template, rest))
        if not rest or len(rest) == before:
            return replace(laid_together(written), quoted=False)


def _once(template: Field, rest: list[Field]) -> Field:
    """The format used once; `rest` holds the arguments that are left, the next one last."""
    written = [template.with_text("")]
    text = template.text
    at = 0
    while at < len(text):
        end = text.find("%", at)
        end = end if end >= 0 else len(text)
        written.append(Field(escapes(text[at:end])))
        if end == len(text):
            break
        stop = end + 1
        while stop < len(text) and text[stop] in "-+ #0123456789.*'":
            stop += 1
        mark = text[stop : stop + 1]
        at = stop + 1
        if mark == "%":
            written.append(Field("%"))
        elif mark:
            written.append(_argument(mark, rest))
    return laid_together(written)


def _argument(mark: str, rest: list[Field]) -> Field:
    value = rest.pop() if rest else Field("")
    if mark == "b":
        return value.with_text(escapes(value.text, leading_zero=True))
    if mark == "c":
        return value.with_text(value.text[:1])
    return value


def filtered(name: str, arguments: Fields, stdin: Value) -> Value | None:
    """What a program writes, or None where that is not followed."""
    if name == "echo":
        return (echoed(arguments),)
    if name == "printf":
        return (formatted(arguments),) if arguments[:1] and arguments[0].text != "-v" else (Field(""),)
    if name in ("true", ":", "false", "cd", "test", "["):
        return (Field(""),)
    if name == "yes":
        line = echoed(arguments or (Field("y"),))
        return (line.with_text(line.text * min(_MOST_REPEATED, 1 + LONGEST // (2 * len(line.text)))),)
    with_value = names("-n -c -w -d -k -t -C -A -B -m -e -f -b") - (
        names("-d") if name in _DECODERS else set()
    )
    parsed = parse_options(arguments, with_value)
    if name == "head" and any(field.live for field in stdin):
        return tuple(replace(field, some=True) for field in stdin)
    if name in _NARROWING:
        return tuple(_narrowed(field, name, parsed) for field in stdin)
    if name in _KEEPING:
        return tuple(_kept(field, name) for field in stdin)
    change = _CHANGES.get(name)
    if name in _TRANSFORMS and any(_is_sure(field) and field.text.strip() for field in stdin):
        return (Field(UNKNOWN, network=any(field.network for field in stdin), hidden=True),)
    if change is None and name not in _DECODERS:
        return None
    return tuple(_changed(field, name, parsed, change) for field in stdin)


def _is_sure(field: Field) -> bool:
    return field.known and not field.live and not field.some


def _kept(field: Field, name: str) -> Field:
    if name == "tac" and field.known:
        return field.with_text("\n".join(reversed(field.text.rstrip("\n").split("\n"))) + "\n")
    return field


def _narrowed(field: Field, name: str, parsed: Parsed) -> Field:
    """Some lines of the input; which ones is not followed, so a text that is known stays whole."""
    keeps_all = name != "tail" and parsed.has("-v", "--invert-match")
    return replace(field, some=field.some or (field.live and not keeps_all))


def _changed(
    field: Field, name: str, parsed: Parsed, change: Callable[[str, Parsed], str | None] | None
) -> Field:
    if not field.known or field.live:
        return replace(field, text=UNKNOWN, live=False)
    text = change(field.text, parsed) if change else None
    if text is not None:
        return field.with_text(text)
    return replace(
        field, text=UNKNOWN, hidden=_is_sure(field) and (name not in _DECODERS or _decodes(name, parsed))
    )


def _decodes(name: str, parsed: Parsed) -> bool:
    if name in ("base64", "gbase64", "base32", "basenc", "gzip", "openssl"):
        return parsed.has("-d", "-D", "--decode", "--decompress")
    return name != "xxd" or parsed.has("-r")


def _base64(text: str, parsed: Parsed) -> str | None:
    if not parsed.has("-d", "-D", "--decode"):
        return base64.b64encode(text.encode("utf-8", "replace")).decode() + "\n"
    return _text_of(_from_base64(text))


def _from_base64(text: str) -> bytes | None:
    packed = "".join(text.split())
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=False)
    except (ValueError, binascii.Error):
        return None


def _base32(text: str, parsed: Parsed) -> str | None:
    if not parsed.has("-d", "--decode"):
        return None
    try:
        return _text_of(base64.b32decode("".join(text.split()).upper()))
    except (ValueError, binascii.Error):
        return None


def _hexadecimal(text: str, parsed: Parsed) -> str | None:
    if not parsed.has("-r"):
        return None
    lines = [line.partition(":")[2].partition("  ")[0] or line for line in text.splitlines()]
    digits = "".join(
        character for line in lines for character in line if character in "0123456789abcdefABCDEF"
    )
    return _text_of(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _openssl(text: str, parsed: Parsed) -> str | None:
    operands = [operand.text for operand in parsed.operands]
    plain = operands[:1] == ["base64"] or (
        operands[:1] == ["enc"] and {"-b", "-a"} & {n for n, _ in parsed.options}
    )
    return _text_of(_from_base64(text)) if plain and parsed.has("-d") else None


def _uncompressed(text: str, parsed: Parsed) -> str | None:
    data = text.replace(_NUL_BYTE, "\0").encode("latin-1", "replace")
    try:
        return _text_of(zlib.decompressobj(wbits=47).decompress(data, LONGEST))
    except zlib.error:
        return None


def _text_of(data: bytes | None) -> str | None:
    """The bytes as text; compressed ones as one character a byte, others that are no text not at all."""
    if data is None:
        return None
    if data[:2] in _COMPRESSED:
        return data.decode("latin-1").replace("\0", _NUL_BYTE)
    try:
        return data.decode("utf-8") if b"\0" not in data else None
    except UnicodeDecodeError:
        return None


def _reversed(text: str, parsed: Parsed) -> str | None:
    return "".join(line[::-1] + "\n" for line in text.splitlines())


def _first(text: str, parsed: Parsed) -> str | None:
    """`head`: lines or, with `-c`, characters from the start."""
    counts = [(name, value.text) for name, value in parsed.options if value and name in ("-n", "-c")]
    name, count = counts[-1] if counts else ("-n", "10")
    taken = natural(count)
    if taken is None:
        return None
    return text[:taken] if name == "-c" else "".join(text.splitlines(keepends=True)[:taken])


def _columns(text: str, parsed: Parsed) -> str | None:
    """`cut` of one column or range: characters, or fields between delimiters."""
    options = {name: value.text for name, value in parsed.options if value}
    ranges = options.get("-c") or options.get("-b") or options.get("-f") or ""
    first, dash, last = ranges.partition("-")
    start = 1 if dash and not first else natural(first)
    end = natural(last) if last else None
    if not start or (last and end is None):
        return None
    start, end = start - 1, end if dash else start
    lines = text.splitlines()
    if "-f" not in options:
        return "".join(line[start:end] + "\n" for line in lines)
    mark = options.get("-d", "\t")
    return "".join(mark.join(line.split(mark)[start:end]) + "\n" for line in lines) if mark else None


def _transliterated(text: str, parsed: Parsed) -> str | None:
    sets = [operand.text for operand in parsed.operands]
    delete = parsed.has("-d", "--delete")
    complement = parsed.has("-c", "-C", "--complement")
    if parsed.has("-d") and not sets:
        sets = [value.text for value in parsed.values("-d")]
    return transliterate(text, sets, delete=delete, complement=complement)


_CHANGES: Mapping[str, Callable[[str, Parsed], str | None]] = {
    "base64": _base64,
    "gbase64": _base64,
    "base32": _base32,
    "xxd": _hexadecimal,
    "openssl": _openssl,
    "rev": _reversed,
    "head": _first,
    "cut": _columns,
    "tr": _transliterated,
    "gunzip": _uncompressed,
    "zcat": _uncompressed,
}
