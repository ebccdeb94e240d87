"""`@frozen` makes what `@dataclass(frozen=True, slots=True)` makes."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Generic, TypeVar

import pytest
from pydantic import TypeAdapter

from roocode.protocol.frozen import frozen

T = TypeVar("T")


@frozen
class Key:
    """A key."""

    name: str
    secret: str = field(default="", repr=False)
    seen: int = field(default=0, compare=False)
    tags: Mapping[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a key has a name")


@frozen(kw_only=True)
class Base:
    """What all have."""

    agent: str = "main"


@frozen(kw_only=True)
class Text(Base):
    """With a field that has no default behind one that has."""

    text: str


@frozen
class Box(Generic[T]):
    """Of one value, shown in its own way."""

    value: T

    def __repr__(self) -> str:
        return f"[{self.value}]"


@frozen
class Nothing:
    """Without fields."""


@dataclass(frozen=True, slots=True)
class Standard:
    """As the standard library makes it."""

    name: str
    secret: str = field(default="", repr=False)
    seen: int = field(default=0, compare=False)
    tags: Mapping[str, int] = field(default_factory=dict, compare=False)


def test_parameters_defaults_and_representation_are_those_of_a_dataclass() -> None:
    ours, theirs = Key("a", seen=2), Standard("a", seen=2)
    assert list(inspect.signature(Key).parameters) == list(inspect.signature(Standard).parameters)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert repr(ours) == repr(theirs).replace("Standard", "Key") == "Key(name='a', seen=2, tags={})"
    assert asdict(ours) == asdict(theirs)
    assert Key.__match_args__ == Standard.__match_args__
    assert ours.tags is not Key("b").tags


def test_equality_and_hash_look_at_the_compared_fields_of_the_same_type() -> None:
    assert Key("a", "x", seen=1) == Key("a", "x", seen=2)
    assert hash(Key("a", "x", seen=1)) == hash(Key("a", "x", seen=2))
    assert Key("a", "x") != Key("a", "y")
    assert Box[object]("a") != Box[object]("b")
    assert Nothing() == Nothing()
    assert Base() != Text(text="")
    assert len({Key("a"), Key("a"), Box("a"), Nothing(), Nothing()}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Box([]))


def test_nothing_can_be_changed_added_or_deleted() -> None:
    key = Key("a")
    with pytest.raises(FrozenInstanceError, match="'name' of a Key"):
        key.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        key.more = 1  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del key.name
    assert not hasattr(key, "__dict__")


def test_a_value_is_checked_when_it_is_made_and_when_it_is_replaced() -> None:
    with pytest.raises(ValueError, match="has a name"):
        Key("")
    with pytest.raises(ValueError, match="has a name"):
        replace(Key("a"), name="")
    assert replace(Key("a", "x"), name="b") == Key("b", "x")
    with pytest.raises(TypeError, match="argument"):
        Key("a", nonsense=1)  # type: ignore[call-arg]


def test_fields_of_bases_come_first_and_may_be_given_by_name_alone() -> None:
    assert Text(text="hi") == Text(agent="main", text="hi")
    assert [each.name for each in fields(Text)] == ["agent", "text"]
    with pytest.raises(TypeError):
        Text("main", "hi")  # type: ignore[call-arg]


def test_match_copy_pickle_and_pydantic_take_it_for_a_dataclass() -> None:
    match Key("a", "x"):
        case Key(name, secret):
            assert (name, secret) == ("a", "x")
    assert copy.deepcopy(Key("a", tags={"n": 1})).tags == {"n": 1}
    assert pickle.loads(pickle.dumps(Key("a", "x"))) == Key("a", "x")
    assert TypeAdapter(Key).validate_python({"name": "a", "seen": "3"}).seen == 3


def test_initialisers_are_made_by_the_first_instance_whatever_makes_it() -> None:
    @frozen
    class Pair:
        """Two, of which one can be left out."""

        left: int
        right: int = 2

    class Named(Pair):
        """Without an initialiser of its own."""

    before = Pair.__init__
    assert Named(left=3).right == 2
    made = Pair.__init__
    assert made is not before
    assert (Pair(1, 3).right, Pair.__init__) == (3, made)
    assert list(inspect.signature(Named).parameters) == ["left", "right"]


def test_a_first_instance_with_the_wrong_arguments_is_refused_as_any_other() -> None:
    @frozen
    class Pair:
        """Two."""

        left: int
        right: int

    for _ in range(2):
        with pytest.raises(TypeError, match=r"Pair\.__init__\(\) missing 1 required .* 'right'"):
            Pair(1)  # type: ignore[call-arg]


def test_what_a_class_defines_itself_stays() -> None:
    assert repr(Box(1)) == "[1]"


def test_a_field_without_a_default_cannot_follow_one_that_has_it() -> None:
    with pytest.raises(TypeError, match="'second' follows default argument 'first'"):

        @frozen
        class _Wrong:
            first: int = 0
            second: int  # type: ignore[misc]
