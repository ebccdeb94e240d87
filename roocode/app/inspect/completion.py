"""`roocode completion`: the script that makes a shell complete our commands and options."""

from __future__ import annotations

from click.shell_completion import get_completion_class

from roocode.interaction.cli.main import PROGRAM, root
from roocode.interaction.cli.orders import Completion
from roocode.protocol.errors import HostError

VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"


def completion(order: Completion) -> int:
    """Prints the script."""
    found = get_completion_class(order.shell)
    if found is None:
        raise HostError(f"there is no completion for {order.shell}")
    print(found(root, {}, PROGRAM, VARIABLE).source())
    return 0
