"""Layer 4: remembering. Sessions, compaction, instructions."""
