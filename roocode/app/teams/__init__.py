"""Puts a team together around its lead, in stages: ground, staff, seat, lead."""
