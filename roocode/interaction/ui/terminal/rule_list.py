"""The rules of an "always allow", before they are stored: each can be left out, narrowed or written anew.

No I/O; `check` knows what a rule means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from roocode.interaction.ui.columns import cut, wrapped
from roocode.interaction.ui.safe_text import visible
from roocode.interaction.ui.terminal.questions import in_rows
from roocode.interaction.ui.terminal.styles import BOLD, DIM, GREEN, RED, RESET, REVERSE, YELLOW
from roocode.protocol.decisions import PermissionAnswer, PermissionQuestion, RuleProposal, Store
from roocode.protocol.frozen import frozen


@frozen
class RuleVerdict:
    """What is wrong with a rule (it cannot be stored then), and what is risky about it (a second yes)."""

    objection: str = ""
    warning: str = ""


RuleCheck: TypeAlias = Callable[[PermissionQuestion, RuleProposal, str], RuleVerdict]


def unchecked(_question: PermissionQuestion, _proposal: RuleProposal, _text: str) -> RuleVerdict:
    """Where nobody knows what rules mean: the proposals stand as they are."""
    return RuleVerdict("it cannot be checked here: take one of the proposals")


@dataclass(slots=True)
class Line:
    """One rule of the list."""

    proposal: RuleProposal
    text: str
    is_on: bool = True
    warning: str = ""


@dataclass(slots=True)
class RuleList:
    """What a person makes of the proposals; `editing` while one is being written."""

    question: PermissionQuestion
    check: RuleCheck
    lines: list[Line] = field(default_factory=list)
    at: int = 0
    store: int = 0
    editing: bool = False
    said: str = ""
    confirmed: bool = False

    def __post_init__(self) -> None:
        self.lines = [Line(proposal, proposal.text) for proposal in self.question.proposals]

    def press(self, key: str) -> None:
        """A digit, space, tab, up, down, e or f was pressed."""
        self.said, self.confirmed = "", False
        line = self.lines[self.at]
        match key:
            case "up" | "down":
                self.at = (self.at + (1 if key == "down" else -1)) % len(self.lines)
            case " ":
                line.is_on = not line.is_on
            case "tab":
                self._other_choice(line)
            case "e":
                self.editing = True
            case "f":
                self._other_file()
            case _ if key.isdecimal() and 0 < int(key) <= len(self.lines):
                self.at = int(key) - 1
            case _:
                pass

    def write(self, words: str) -> bool:
        """The rule that is being written is done; False, with the reason said, where it is none."""
        line, text = self.lines[self.at], " ".join(words.split())
        verdict = self.check(self.question, line.proposal, text)
        if verdict.objection:
            self.said = f"{text or 'nothing'}: {verdict.objection}"
            return False
        line.text, line.is_on, line.warning = text, True, verdict.warning
        self.said, self.confirmed, self.editing = "", False, False
        return True

    def leave(self) -> None:
        """The rule stays as it was."""
        self.said, self.editing = "", False

    def enter(self) -> PermissionAnswer | None:
        """The answer, where one rule is on and no warning waits for a second yes."""
        chosen = [line for line in self.lines if line.is_on]
        if not chosen:
            self.said = "no rule is on: space switches one on, Esc goes back"
            return None
        if any(line.warning for line in chosen) and not self.confirmed:
            self.confirmed = True
            self.said = "that is very wide: once more, and it is stored all the same"
            return None
        rules = tuple(dict.fromkeys(line.text for line in chosen))
        return PermissionAnswer(True, "always", rules=rules, store=self._chosen[0])

    def shown(self, width: int, *, with_keys: bool) -> str:
        """The list with its keys, in lines of at most `width` columns."""
        rows = in_rows(f"{REVERSE}{BOLD} Always allow {RESET}", 14, [f"in {self._file}:"], width)
        for index, line in enumerate(self.lines):
            rows += self._row(index, line, width)
        if self.said:
            rows += [f"  {YELLOW}{piece}{RESET}" for piece in wrapped(visible(self.said), width - 2)]
        if self.editing:
            covers = cut(f"  it has to cover: {visible(self.lines[self.at].proposal.about)}", width)
            return "\n".join(
                [*rows, f"{DIM}{covers}{RESET}", *in_rows("", 0, ["Enter: done", "Esc: back"], width)]
            )
        return "\n".join([*rows, *(in_rows("", 0, self._keys(), width) if with_keys else [""])])

    def say(self, line: str) -> bool:
        """A line of a terminal that knows only lines: `1`, `1 RULE`, `w1`, `f`; False for any other."""
        number, _, text = line.partition(" ")
        index = int(number.removeprefix("w")) - 1 if number.removeprefix("w").isdecimal() else -1
        if line == "f":
            self.press("f")
        elif 0 <= index < len(self.lines):
            self.at = index
            if text:
                self.write(text)
            else:
                self.press("tab" if number.startswith("w") else " ")
        else:
            return False
        return True

    def shown_for_lines(self, width: int) -> str:
        """The list for a terminal that knows only lines."""
        keys = [
            "1: on/off",
            "w1: narrower/wider",
            "1 RULE: write it anew",
            "f: other file",
            "ok: store and run",
        ]
        return "\n".join(
            [self.shown(width, with_keys=False).rstrip(), *in_rows("", 0, [*keys, "no: back"], width)]
        )

    def _row(self, index: int, line: Line, width: int) -> list[str]:
        here = "›" if index == self.at else " "
        box = f"{GREEN}[x]{RESET}" if line.is_on else "[ ]"
        lead, style = f" {here} {index + 1} {box} ", BOLD if line.is_on else DIM
        rows = []
        for piece in wrapped(visible(line.text), width - 9):
            rows.append(f"{lead}{style}{piece}{RESET}")
            lead = " " * 9
        if line.warning and line.is_on:
            rows += [f"{lead}{RED}{piece}{RESET}" for piece in wrapped(visible(line.warning), width - 9)]
        return rows

    def _keys(self) -> list[str]:
        line = self.lines[self.at]
        several = f"1-{len(self.lines)} choose" if len(self.lines) > 1 else ""
        other = "Tab narrower/wider" if len(line.proposal.choices) > 1 else ""
        file = "[f]ile" if len(self._stores) > 1 else ""
        every = (several, "Space on/off", other, "[e]dit", file, "Enter stores and runs", "Esc back")
        return [key for key in every if key]

    @property
    def _file(self) -> str:
        return visible(self._chosen[1])

    @property
    def _chosen(self) -> tuple[Store, str]:
        return self.question.stores[self.store if self.store in self._stores else 0]

    @property
    def _stores(self) -> list[int]:
        """Which files it can go to: a rule about a path of this project stays in the project."""
        paths = any("(/" in line.text for line in self.lines)
        return [0] if paths else list(range(len(self.question.stores)))

    def _other_file(self) -> None:
        self.store = (self.store + 1) % len(self._stores)

    def _other_choice(self, line: Line) -> None:
        choices = line.proposal.choices
        if choices:
            at = choices.index(line.text) + 1 if line.text in choices else 0
            line.text, line.warning, line.is_on = choices[at % len(choices)], "", True
