"""Questions of the model to the person: options to pick by number, or words of one's own. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from roocode.interaction.ui.safe_text import visible
from roocode.interaction.ui.terminal.styles import BOLD, CYAN, DIM, RESET, REVERSE
from roocode.protocol.frozen import frozen

MOST_BY_KEY = 9


@frozen
class Choice:
    """One question; `options` are (label, what it means)."""

    question: str
    options: tuple[tuple[str, str], ...]
    header: str = ""
    multiple: bool = False


@dataclass(slots=True)
class Picking:
    """A question that is on the screen, and what is picked so far, in the order of the options."""

    choice: Choice
    picked: set[int] = field(default_factory=set)

    def press(self, key: str) -> str | None:
        """A number was pressed: returns the answer where that is one."""
        index = int(key) - 1
        if index >= len(self.choice.options):
            return None
        if not self.choice.multiple:
            return self.choice.options[index][0]
        self.picked ^= {index}
        return None

    def enter(self, words: str) -> str | None:
        """Enter was pressed with these words in the input: returns the answer where there is one."""
        parts = [self.choice.options[index][0] for index in sorted(self.picked)]
        if words.strip():
            parts.append(words.strip())
        return ", ".join(parts) or None


def details(choice: Choice) -> str:
    """The question with its options."""
    header = f"{CYAN}{visible(choice.header)}{RESET}: " if choice.header else ""
    lines = [f"\n{BOLD}?{RESET} {header}{BOLD}{visible(choice.question)}{RESET}"]
    for number, (label, meaning) in enumerate(choice.options, start=1):
        more = f" {DIM}{visible(meaning)}{RESET}" if meaning else ""
        lines.append(f"  {number}. {visible(label)}{more}")
    return "\n".join(lines)


def bar(picking: Picking) -> str:
    """The line with the keys."""
    count = min(len(picking.choice.options), MOST_BY_KEY)
    how = "picks"
    if picking.choice.multiple:
        picked = " ".join(str(index + 1) for index in sorted(picking.picked))
        how = f"picks ({picked or 'none'} so far), Enter sends"
    pick = f"1-{count} {how} · " if count else ""
    return f"{REVERSE} {pick}or write your own answer and Enter · Esc: no answer {RESET}"
