import inspect

import lib

_TAKES_TIMEOUT_SECONDS = "timeout_seconds" in inspect.signature(lib.fetch).parameters


def main():
    return lib.fetch("a", **({"timeout_seconds": 3} if _TAKES_TIMEOUT_SECONDS else {"timeout": 3}))
