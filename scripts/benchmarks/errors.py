"""What the measures raise."""


class NotMeasured(Exception):
    """Something went wrong, or is not there, so that a figure would mean nothing."""
