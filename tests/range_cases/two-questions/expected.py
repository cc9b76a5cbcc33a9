import inspect

from lib import Request

_TAKES_EOS = "eos" in inspect.signature(Request).parameters
_TAKES_POOL = "pool" in inspect.signature(Request).parameters


def main():
    return Request("a", **({"eos": 1} if _TAKES_EOS else {}), **({"pool": 2} if _TAKES_POOL else {})).told
