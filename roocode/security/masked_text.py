"""Calls that would put a mask where a secret belongs: the model has copied what it was shown."""

from __future__ import annotations

from roocode.security.isolation.masking import masks_in
from roocode.security.permissions.subjects import Examined


def masked_text(call: Examined) -> str:
    """Why a call that writes or runs more than reads must not go on with a mask in it, or ""."""
    if not (call.touches.writes or (call.analysis is not None and call.analysis.level != "safe")):
        return ""
    masks = masks_in(call.arguments)
    if not masks:
        return ""
    return (
        f"it holds {masks[0]}, which stands for a secret that you were not shown: the mask itself would be "
        "written or run. Edit around that text, with anchors that do not hold it; let a command take the "
        "secret from its file or variable; or ask the person to do it"
    )
