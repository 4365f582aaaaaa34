"""A value made by `memdown.values.dataclass` behaves as one made by Python's own."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from dataclasses import field
from typing import Any

import pytest

from memdown.values import dataclass, pattern

MAKERS = (dataclass, dataclasses.dataclass)


def both(**options: bool) -> list[Any]:
    """The same class, made by us and by Python."""

    def make(maker: Any) -> Any:
        @maker(frozen=True, slots=True, **options)
        class Point:
            """A point."""

            x: int
            y: int = 2
            names: list[str] = field(default_factory=list)
            secret: str = field(default="s", repr=False, compare=False)

        return Point

    return [make(maker) for maker in MAKERS]


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that is pickled."""

    one: int
    other: Kept | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A value that checks itself and has a method, a hash and a name of its own."""

    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("below zero")

    def __repr__(self) -> str:
        return "checked"


def test_it_is_made_shown_and_compared_alike() -> None:
    ours, theirs = both()
    for one in (ours, theirs):
        point = one(1)
        assert repr(point).endswith("Point(x=1, y=2, names=[])")
        assert point == one(1, secret="other")
        assert point != one(1, 3)
        assert point.__eq__((1, 2)) is NotImplemented
        assert one(1, names=["a"]).names == ["a"]
        assert one(1).names is not one(1).names
        assert dataclasses.asdict(point) == {"x": 1, "y": 2, "names": [], "secret": "s"}
        assert dataclasses.replace(point, y=5) == one(1, 5)
        assert not hasattr(point, "__dict__")
        match point:
            case one(1, y):
                assert y == 2
    assert repr(ours(1)) == repr(theirs(1))
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__slots__ == theirs.__slots__
    assert ours.__match_args__ == theirs.__match_args__
    assert repr(ours.__dataclass_params__) == repr(theirs.__dataclass_params__)


def test_it_cannot_be_changed() -> None:
    for one in both():
        point = one(1)
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
            point.x = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
            del point.x
        assert point.x == 1


def test_wrong_arguments_are_refused_alike() -> None:
    def refusal(one: Any, *arguments: object, **named: object) -> str:
        with pytest.raises(TypeError) as error:
            one(*arguments, **named)
        return str(error.value).rpartition(".")[2]

    ours, theirs = both()
    assert refusal(ours) == refusal(theirs)
    assert refusal(ours, 1, 2, [], "s", 5) == refusal(theirs, 1, 2, [], "s", 5)
    assert refusal(ours, 1, z=1) == refusal(theirs, 1, z=1)


def test_it_is_hashed_and_compared_by_its_values_or_by_itself() -> None:
    assert hash(Kept(1)) == hash(Kept(1)) == hash((1, None))
    assert {Kept(1), Kept(1), Kept(2)} == {Kept(1), Kept(2)}
    nan = float("nan")
    for one in both():
        with pytest.raises(TypeError, match="unhashable"):
            hash(one(1))
        assert one(nan) == one(nan)
    for one in both(eq=False):
        point = one(1)
        assert point != one(1)
        assert len({point, one(1)}) == 2


def test_it_can_be_copied_and_pickled() -> None:
    value = Kept(1, Kept(2))
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.copy(value) == copy.deepcopy(value) == value


def test_what_a_class_says_itself_stays() -> None:
    assert repr(Checked(1)) == "checked"
    with pytest.raises(ValueError, match="below zero"):
        Checked(-1)


def test_a_value_in_itself_is_shown_once() -> None:
    for one in both():
        point = one(1)
        point.names.append(point)
        assert repr(point).endswith("Point(x=1, y=2, names=[...])")


def test_another_kind_of_class_is_pythons() -> None:
    @dataclass(slots=True)
    class Count:
        """It may change."""

        number: int = 0

    @dataclass(frozen=True, slots=True)
    class More(Kept):
        """It has more fields than what it comes from."""

        more: int = 3

    @dataclass(frozen=True, slots=True, order=True)
    class Place:
        """It has an order."""

        line: int

    @dataclass(frozen=True, slots=True)
    class Named:
        """It has a field that is not given, and one that is given by its name."""

        hidden: int = field(default=7, init=False)
        named: int = field(kw_only=True)

    count = Count()
    count.number += 1
    assert count == Count(1)
    assert More(1) == More(1, None, 3) != Kept(1)
    assert Place(1) < Place(2)
    assert (Named(named=1).hidden, Named(named=1).named) == (7, 1)


def test_a_pattern_is_compiled_at_its_first_use_and_does_what_a_pattern_does() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.search("a")
    word = pattern(r"(?P<word>[a-z]+)", re.IGNORECASE)
    for _ in range(2):
        found = word.search("12 Ab")
        assert found is not None
        assert found["word"] == "Ab"
        assert word.sub("-", "1 a 2 B") == "1 - 2 -"
    assert word.pattern == r"(?P<word>[a-z]+)"
    assert word.flags & re.IGNORECASE
