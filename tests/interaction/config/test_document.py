"""YAML into data that knows its lines, and what is refused by name."""

from __future__ import annotations

import pytest

from roocode.interaction.config.document import Document, decode, parse_document, parse_json
from roocode.protocol.errors import UserError


def test_every_key_and_item_has_its_line() -> None:
    document = parse_document("# first\na:\n  b: [x,\n      y]\n", "f")

    assert document.data == {"a": {"b": ["x", "y"]}}
    assert document.at(("a", "b", 1)) == "f:4"
    assert document.at(("a", "b", 7)) == "f:3"
    assert document.at(("unknown",)) == "f"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("Off", "Off"),
        ("true", True),
        ("012", 12),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-02", "2026-01-02"),
        ("1.5", 1.5),
        ("~", None),
        ("'7'", "7"),
        ("!!str 7", "7"),
    ],
)
def test_scalars_are_what_the_person_wrote(text: str, value: object) -> None:
    found = parse_document(f"k: {text}\n", "f").data["k"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "~\n"])
def test_a_file_without_keys_sets_nothing(text: str) -> None:
    assert parse_document(text, "f") == Document("f")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: [", "f:2: not valid YAML"),
        ("\ta: 1", "f:1: not valid YAML"),
        ("a: 1\na: 2", "f:2: the key 'a' stands twice"),
        ("a: &x 1\nb: *x", "f:1: anchors and aliases are not read here"),
        ("a: !!python/object:os.system x", "f:1: the tag"),
        ("- a", "f:1: not a mapping of keys"),
        ("? [a]\n: b", "f:1: a key must be plain text"),
        ("a: 1\n---\nb: 2", "f:2: not valid YAML"),
        ("a: " + "[" * 100 + "]" * 100, "f:1: nested too deeply"),
        ("a: " + "[" * 100_000, "f:1: not valid YAML"),
        ("a: \x00", "f: not valid YAML"),
        ("a: 1\nb: " + "9" * 5_000, "f:2: a number has too many digits"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_document(text, "f")

    assert caught.value.what.startswith(said)


def test_bytes_that_are_no_utf8_are_named_with_their_line() -> None:
    with pytest.raises(UserError, match="f:2: not UTF-8"):
        decode(b"a: 1\nb: \xff\n", "f")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Expecting value"),
        ('{"a": }', "Expecting value"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "a number has too many digits"),
        (r'{"a": "x\ud800"}', "half of a surrogate pair"),
        (r'{"\udfff": 1}', "half of a surrogate pair"),
    ],
)
def test_json_of_others_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "value"), [("\ufeff{}", {}), (r'"\ud83d\ude00"', "\U0001f600"), ("[1.5, null]", [1.5, None])]
)
def test_json_of_others_is_read(text: str, value: object) -> None:
    assert parse_json(text) == value
