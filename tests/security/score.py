"""Prints how the guard does on its corpora, by class: `python -m tests.security.score`."""

from __future__ import annotations

from collections import Counter

from tests.security import bash_cases, path_cases, rule_cases


def main() -> None:
    """One block a corpus; the bar is in the guard's own tests."""
    for name, cases in (("bash", bash_cases), ("path", path_cases), ("rule", rule_cases)):
        right, total = cases.score()
        _print(name, right, total)


def _print(name: str, right: Counter[str], total: Counter[str]) -> None:
    print(f"{name}: {sum(right.values())} of {sum(total.values())}")
    for kind in sorted(total):
        print(f"  {kind:<32} {right[kind]:>4} / {total[kind]}")


if __name__ == "__main__":
    main()
