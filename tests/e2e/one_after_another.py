"""Runs several command lines in one process: `python -m tests.e2e.one_after_another JSON`.

JSON is a list of argument lists; a list of `[exit code, standard output, standard error]` is printed.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

from roocode.__main__ import main


def run(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["roocode", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main()
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    print(json.dumps([run(arguments) for arguments in json.loads(sys.argv[1])]))
