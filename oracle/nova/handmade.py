"""Clouds made by hand: what is easily got wrong about the choice among hosts."""


def clouds():
    """Name, scenario and lost hosts of each."""
    return iter(())
