"""`roocode completion`: the script that makes a shell complete our commands and options."""

from __future__ import annotations

from click.shell_completion import ShellComplete, get_completion_class

from roocode.interaction.cli.main import PROGRAM, root
from roocode.interaction.cli.orders import Completion
from roocode.protocol.errors import HostError

VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"


def completion(order: Completion) -> int:
    """Prints the script, without a look at which bash there is: that would run the first one on PATH."""
    found = get_completion_class(order.shell)
    if found is None:
        raise HostError(f"there is no completion for {order.shell}")
    print(ShellComplete.source(found(root, {}, PROGRAM, VARIABLE)))
    return 0
