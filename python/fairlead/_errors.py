"""What can go wrong, as exceptions. The messages are those that the program prints."""


class FairleadError(Exception):
    """Anything that Fairlead itself complains about."""


class InputError(FairleadError, ValueError):
    """Something that was handed in is wrong: a scenario, a policy, a value."""


class RunError(FairleadError, RuntimeError):
    """A run could not go on, such as after a wrong plan."""
