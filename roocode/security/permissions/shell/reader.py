"""Cuts a Bash line into the groups of words that run as one command, by Bash's own rules of reading.

This is the reading that words come from. The nesting of commands comes from the grammar; `structure` compares
the two, and a line on which they differ counts as not understood.
"""

from __future__ import annotations

from functools import lru_cache

from roocode.security.permissions.shell.cursor import METACHARACTERS, Cursor, Unfinished
from roocode.security.permissions.shell.documents import arithmetic_end, read_body, read_redirection
from roocode.security.permissions.shell.nesting import Nest, Nesting
from roocode.security.permissions.shell.pieces import read_quoted, read_word
from roocode.security.permissions.shell.reading import Group, Reading, Redirection, Span
from roocode.security.permissions.shell.syntax import Word
from roocode.security.permissions.shell.tokens import (
    BETWEEN_CASES,
    KEYWORDS,
    SHOWN_AS,
    at_process_substitution,
    at_redirection,
    behind_prefix,
    operator_at,
    skip_blanks,
)

_MOST_RESUMED = 20
_WITHOUT_RIGHT_SIDE: tuple[list[str], ...] = (
    [],
    ["=="],
    ["="],
    ["!="],
    ["=~"],
    ["&&"],
    ["||"],
    ["!"],
    ["-eq"],
    ["-ne"],
)
"""Last words with which a `[[` ends in the middle of a test."""


@lru_cache(maxsize=16)
def read(text: str) -> Reading:
    """Reads a whole script; the result is not to be changed. Raises TooDeep."""
    return _Reader(text, 0, 0, closes=False).read()


def script_end(text: str, at: int, depth: int) -> int:
    """The place of the `)` that ends the script of a `$(`, from `at` on. Raises Unfinished or TooDeep."""
    return _Reader(text, at, depth - 1, closes=False).script_end(text, at, depth)


class _Reader:
    def __init__(self, text: str, at: int, depth: int, *, closes: bool) -> None:
        self.cursor = Cursor(text, at, self.script_end, depth)
        self.closes = closes
        self.result = Reading()
        self.group = Group("")
        self.at_start = True
        self.nesting = Nesting()
        self.documents: list[Redirection] = []
        self.for_words: list[Span] | None = None
        self.unclosed = False
        self.resumed = 0

    def read(self) -> Reading:
        """Reads to the end of the text, or to the `)` that ends a substitution."""
        while self.cursor.here and not (self.closes and self.cursor.here == ")" and not self.nesting):
            start = self.cursor.at
            try:
                self._step()
            except Unfinished as error:
                self._break(str(error))
                self._resume(start)
        if self.closes and not self.cursor.here:
            self._break("a $( is not closed")
        self._flush("")
        if self.documents or self.nesting:
            self._break("the line ends in the middle of a command")
        self.result.end = self.cursor.at
        return self.result

    def _resume(self, start: int) -> None:
        """Goes on inside of a substitution that has no end, lest a command in it go unseen."""
        at = self.cursor.text.find("$(", start)
        self.resumed += 1
        if at < 0 or self.closes or self.resumed > _MOST_RESUMED:
            self.cursor.at = len(self.cursor.text)
            return
        self._flush("$(")
        self.cursor.at = at + 2
        self.at_start = True

    def script_end(self, text: str, at: int, depth: int) -> int:
        """Finds the end of a script in this one and keeps what the grammar is not to see of it."""
        reading = _Reader(text, at, depth, closes=True).read()
        if reading.broken:
            raise Unfinished(reading.broken)
        if text is self.cursor.text:
            self.result.hidden.extend(reading.hidden)
        return reading.end

    def _step(self) -> None:
        here = self.cursor.here
        if here in " \t":
            self.cursor.at += 1
        elif self.cursor.sees("\\\n"):
            self.cursor.at += 2
        elif here == "#":
            self._comment()
        elif at_redirection(self.cursor):
            self._redirection()
        elif (operator := operator_at(self.cursor)) and not at_process_substitution(self.cursor):
            self._take_operator(operator)
        else:
            self._take_word()

    def _comment(self) -> None:
        start = self.cursor.at
        end = self.cursor.text.find("\n", start)
        self.cursor.at = end if end >= 0 else len(self.cursor.text)
        self.result.hidden.append((start, self.cursor.at, ""))

    def _flush(self, operator: str) -> None:
        if self.group.parts or self.group.redirects:
            self.group.after = operator
            self.result.groups.append(self.group)
        self.group = Group(operator)

    # Operators

    def _take_operator(self, operator: str) -> None:
        start = self.cursor.at
        if operator == "(" and self._takes_arithmetic(start):
            return
        self.cursor.at += len(operator)
        in_pattern = self.nesting.case is not None
        if operator == "(":
            self._open()
        elif operator == ")":
            self._close()
        else:
            self._end_command(operator, start)
        if operator in BETWEEN_CASES and not self.nesting.next_pattern():
            self._break("a ;; stands outside of a case")
        self.at_start = self.at_start if in_pattern and operator == "|" else True
        if operator in (";", "\n", "&"):
            self.for_words = None

    def _end_command(self, operator: str, start: int) -> None:
        if operator == "\n" and self.group.parts:
            self.result.hidden.append((start, start + 1, ";"))
        self._flush(operator)
        if operator == "\n":
            self._bodies()

    def _open(self) -> None:
        if self.nesting.case:
            return
        if self.group.parts and not self.group.redirects:
            skip_blanks(self.cursor)
            if len(self.group.parts) == 1 and self.cursor.here == ")":
                self.cursor.at += 1
                self.group = Group("function")
                return
            self._break("a ( stands where none can be")
        self._flush("(")
        self.nesting.open("(")

    def _close(self) -> None:
        if not self.nesting.close():
            self._break("a ) closes nothing")
        self._flush(")")

    def _takes_arithmetic(self, start: int) -> bool:
        if not self.cursor.sees("((") or self.group.parts or not self.at_start or self.nesting.case:
            return False
        end = arithmetic_end(self.cursor.text, start + 2)
        if end < 0:
            return False
        self.cursor.at = end + 2
        self._test(start, start + 2, end)
        return True

    def _test(self, start: int, inner_start: int, inner_end: int) -> None:
        text = self.cursor.text[inner_start:inner_end]
        end = self.cursor.at
        pieces = read_quoted(Cursor(text, 0, self.script_end, self.cursor.depth + 1), "")
        self.result.tests[start] = Span(start, end, Word(self.cursor.text[start:end], pieces))
        if self.group.before != "for":
            self.result.hidden.append((start, end, "x" * (end - start)))
        self.group = Group("test")
        self.at_start = True

    # Words

    def _take_word(self) -> None:
        start = self.cursor.at
        word = read_word(self.cursor, negates=self.at_start)
        span = Span(start, self.cursor.at, word)
        if self.nesting.case:
            self._take_case_word(self.nesting.case, span)
        elif self.for_words is not None:
            self._take_for_word(self.for_words, span)
        elif self.at_start and not self.group.parts and not self.group.redirects:
            self._take_first(span)
        else:
            self.group.parts.append(span)

    def _take_case_word(self, case: Nest, span: Span) -> None:
        if case.state == "subject":
            case.words.append(span)
            case.state = "in"
        elif case.state == "in":
            case.state = "pattern"
            self.at_start = True
        elif self.at_start and span.word.source == "esac":
            self.nesting.end_case()
            self.group = Group("esac")
        else:
            case.words.append(span)
            self.at_start = False

    def _take_for_word(self, words: list[Span], span: Span) -> None:
        source = span.word.source
        if source == "do" and len(words) == 1:
            self.for_words = None
            self._keyword(source)
        elif not (source == "in" and len(words) == 1):
            words.append(span)

    def _take_first(self, span: Span) -> None:
        source = span.word.source
        if source in KEYWORDS:
            self._keyword(source)
        elif source in ("for", "select"):
            self._loop_head(span)
        elif source == "case":
            self.result.lists[span.start] = self.nesting.open("subject").words
            self.at_start = False
        elif source == "function":
            self._named_function()
        elif source == "[[":
            self._double_bracket(span)
        elif source in ("time", "coproc"):
            self._prefix(span)
        else:
            if self.group.before == "function":
                self._break("a function has no body")
            self.group.parts.append(span)
            self.at_start = False

    def _keyword(self, keyword: str) -> None:
        self.group = Group(keyword)
        self.at_start = True
        if keyword == "esac":
            self.nesting.end_case()

    def _loop_head(self, span: Span) -> None:
        skip_blanks(self.cursor)
        self.group = Group("for")
        if not self.cursor.sees("(("):
            self.for_words = self.result.lists[span.start] = []
            self.at_start = False

    def _named_function(self) -> None:
        skip_blanks(self.cursor)
        read_word(self.cursor)
        skip_blanks(self.cursor)
        if self.cursor.here == "(":
            self.cursor.at += 1
            skip_blanks(self.cursor)
            self.cursor.at += self.cursor.here == ")"
        self.group = Group("function")

    def _double_bracket(self, span: Span) -> None:
        """Inside of `[[ ]]` blanks and operators end a word; a `;` has no place there."""
        while self.cursor.here and self.cursor.here != ";" and not self.unclosed:
            start = self.cursor.at
            if self.cursor.here in METACHARACTERS and not at_process_substitution(self.cursor):
                self.cursor.at += 1
            elif read_word(self.cursor).source == "]]":
                self._test(span.start, span.end, start)
                if self.cursor.text[span.end : start].split()[-1:] in _WITHOUT_RIGHT_SIDE:
                    self._break("a [[ is not whole")
                return
        self.unclosed = self.unclosed or not self.cursor.here
        self._break("a [[ is not closed")
        self.cursor.at = span.end

    def _prefix(self, span: Span) -> None:
        """`time` and `coproc` run what follows; the grammar does not know them and is not shown them."""
        ahead = Cursor(self.cursor.text, self.cursor.at, self.script_end, self.cursor.depth)
        end = behind_prefix(span.word.source, ahead)
        if span.word.source == "coproc":
            self.group = Group("&")
        self.cursor.at = end
        self.result.hidden.append((span.start, end, ""))

    # Redirections

    def _redirection(self) -> None:
        found = read_redirection(self.cursor)
        if found is None:
            self._break("a redirection has no target")
            return
        if found.operator in SHOWN_AS:
            at = found.start + len(found.descriptor)
            self.result.hidden.append((at, at + len(found.operator), SHOWN_AS[found.operator]))
        self.group.redirects.append(found)
        if found.operator in ("<<", "<<-"):
            self.documents.append(found)

    def _bodies(self) -> None:
        for document in self.documents:
            start = self.cursor.at
            document.body, ended = read_body(self.cursor, document)
            self.result.hidden.append((start, self.cursor.at, ""))
            if not ended:
                self._break("a here-document has no line that ends it")
        self.documents = []

    def _break(self, reason: str) -> None:
        """Notes why this is not whole Bash; what follows is still read, lest a command in it go unseen."""
        self.result.broken = self.result.broken or reason
