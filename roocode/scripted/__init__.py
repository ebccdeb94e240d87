"""A model server on loopback that speaks the real wire protocols and plays a scenario."""
