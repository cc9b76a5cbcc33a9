"""Names are part of the API."""


def clamp(value, low=0, high=1):
    return min(max(value, low), high)
