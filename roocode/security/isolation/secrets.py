"""Hides secrets in texts: those that this process was given, and what has the shape of one.

It is text work, no wall: an encrypted, re-coded or split secret passes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping

from roocode.security.isolation.masking import MASK
from roocode.security.isolation.placeholders import is_place, is_placeholder, is_plain_word
from roocode.security.sandbox.environment import says_secret

SHORTEST = 8
_SURE_LENGTH = 16
_MOST_ROUNDS = 8
"""A second round finds nothing new, but for secrets that stand without a gap beside another."""
_LABEL = re.compile(r"[A-Za-z][\w.-]{0,63}", re.ASCII)
_PASSWORD_IN_URL = re.compile(r"\A[\w+.-]{1,32}://[^\s/:@]{0,256}:([^\s/@]{8,256})@", re.ASCII)


class Secrets:
    """The Mask of one process: call it with a text. What is not found stays byte for byte.

    `salt` makes the four digits in a mask: with the same one, processes give a secret the same mask, and
    without it they say nothing of the secret.
    """

    def __init__(self, salt: str) -> None:
        self.salt = salt
        self._values: dict[str, str] = {}
        self._spelled: tuple[tuple[str, re.Pattern[str] | None, str], ...] | None = None

    def learn(self, env: Mapping[str, str], names: Collection[str] = ()) -> None:
        """Adds the secrets of an environment: variables in `names`, and those whose name says so.

        Too short or too plain values are left out, since they would be found everywhere; so are the paths of
        key files, and placeholders.
        """
        for name in sorted(env, key=lambda name: (name not in names, name)):
            value = env[name]
            if name in names or says_secret(name):
                self._add(name, value)
            elif "://" in value and (password := _PASSWORD_IN_URL.match(value)):
                self._add(name, password[1])

    def __call__(self, text: str) -> str:
        """The text with masks in it; applied to that again, nothing changes."""
        if len(text) < SHORTEST:
            return text
        for _ in range(_MOST_ROUNDS):
            hidden = self._once(text)
            if hidden == text:
                break
            text = hidden
        return text

    @property
    def spaced(self) -> tuple[str, ...]:
        """The spellings of known secrets that hold white space: a stream must wait for more than a word."""
        return tuple(text for text, _, _ in self._all() if any(map(str.isspace, text)))

    def _once(self, text: str) -> str:
        from roocode.security.isolation.assignments import without_named
        from roocode.security.isolation.private_keys import without_private_keys
        from roocode.security.isolation.shapes import without_known_shapes

        for spelled, pattern, mask in self._all():
            if spelled in text:
                text = text.replace(spelled, mask) if pattern is None else pattern.sub(mask, text)
        text = without_private_keys(text, self._mask)
        return without_named(without_known_shapes(text, self._mask), self._mask)

    def _add(self, name: str, value: str) -> None:
        if len(value) < SHORTEST or is_plain_word(value) or is_place(value) or is_placeholder(value):
            return
        if value not in self._values:
            self._values[value] = name if _LABEL.fullmatch(name) else "environment variable"
            self._spelled = None

    def _all(self) -> tuple[tuple[str, re.Pattern[str] | None, str], ...]:
        """What to look for, the longest first, with its mask; short ones only where no word goes on."""
        if self._spelled is None:
            self._spelled = tuple(sorted(self._found_as(), key=lambda each: (-len(each[0]), each[0])))
        return self._spelled

    def _found_as(self) -> Iterator[tuple[str, re.Pattern[str] | None, str]]:
        from roocode.security.isolation.spellings import spellings

        masks = {value: self._mask(name, value) for value, name in self._values.items()}
        labels = "\n".join(masks.values())
        for value, mask in masks.items():
            for spelled in spellings(value):
                # A value that stands in a mask itself would never come to an end.
                if spelled not in labels:
                    pattern = (
                        re.compile(rf"(?<!\w){re.escape(spelled)}(?!\w)")
                        if len(spelled) < _SURE_LENGTH
                        else None
                    )
                    yield spelled, pattern, mask

    def _mask(self, kind: str, secret: str) -> str:
        data = secret.encode("utf-8", "surrogatepass")
        digits = hashlib.blake2b(data, key=self.salt.encode()[:64], digest_size=2).hexdigest()
        mask = f"[secret: {kind} {digits}]"
        return mask if MASK.fullmatch(mask) else f"[secret: {digits} {digits}]"
