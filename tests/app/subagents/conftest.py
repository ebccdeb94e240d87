"""Sessions with sub-agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.subagents.family import Families


@pytest.fixture
def families(tmp_path: Path) -> Families:
    return Families(tmp_path)
