"""Layer 2: thinking and coordinating."""
