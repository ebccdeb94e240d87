"""What counts as an example, and when its output is as the page says."""

from __future__ import annotations

import pytest

from tests.docs.console import Step, blocks, fits

PAGE = """\
Text.

```console repo model=docs/x.yaml
$ roocode team list \\
>   --json
[]
$ true
```

```sh
$ not an example
```
"""


def test_a_block_has_its_commands_with_their_output() -> None:
    (block,) = blocks(PAGE)
    assert block.line == 3
    assert block.info == ("repo", "model=docs/x.yaml")
    assert block.option("model") == "docs/x.yaml"
    assert block.option("mode") == ""
    assert block.steps == (Step("roocode team list \\\n  --json", ("[]",)), Step("true", ()))


def test_a_block_that_begins_with_output_is_refused() -> None:
    with pytest.raises(AssertionError, match="begins with"):
        list(blocks("```console\noutput\n```\n"))


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ([], ""),
        (["one"], "one\n"),
        (["one  "], "one   \n\n"),
        (["a (b) [c] $"], "a (b) [c] $"),
        (["pid …, pane …"], "pid 12, pane %3\n"),
        (["…", "last"], "first\nsecond\nlast\n"),
        (["…", "last"], "last\n"),
        (["first", "…"], "first\n"),
        (["first", "  …", "last"], "first\na\nb\nlast"),
    ],
)
def test_output_that_fits(expected: list[str], printed: str) -> None:
    assert fits(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ([], "one\n"),
        (["one"], ""),
        (["one"], "one\ntwo\n"),
        (["a.c"], "abc"),
        (["pid …"], "pid 1\npid 2\n"),
        (["…", "last"], "last\nmore\n"),
    ],
)
def test_output_that_does_not_fit(expected: list[str], printed: str) -> None:
    assert not fits(expected, printed)
