"""The program: parse the command line, then `app.run`."""

from __future__ import annotations

import gc
import os
import sys

from roocode import __version__

INTERRUPTED = 130


def main() -> int:
    """Runs the command line of this process and returns its exit code.

    `--version` alone is answered here, so that it costs nothing. An error of ours is two lines on standard
    error, what and mend.
    """
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"roocode {__version__}")
        return 0
    from roocode.protocol.errors import RooCodeError

    try:
        return _run(arguments)
    except RooCodeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone: nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(arguments: list[str]) -> int:
    from roocode.interaction.cli.main import parse
    from roocode.protocol.errors import UsageError

    try:
        request = parse(arguments)
    except UsageError as error:
        from roocode.app.output import refuse

        return refuse(arguments, error)
    if request is None:
        return 0
    from roocode.app import run

    code = run(request)
    sys.stdout.flush()
    # The process takes its objects with it: to look for cycles among them at exit costs 35 ms.
    gc.freeze()
    return code


def _leave_the_directory() -> None:
    """Takes the working directory off the import path, where `python -m` puts it: it may hold a `yaml.py`."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path[:1] == [os.getcwd()] and sys.path[0] != package:
        del sys.path[0]


if __name__ == "__main__":
    _leave_the_directory()
    sys.exit(main())
