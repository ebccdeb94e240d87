"""What scripts/bench measures with; no part of the package."""
