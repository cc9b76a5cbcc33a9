"""The first name is not part of the API any more."""


def clamp(value, /, low=0, high=1):
    return min(max(value, low), high)
