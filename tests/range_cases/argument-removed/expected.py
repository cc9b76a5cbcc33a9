"""Makes requests."""

import inspect

from lib import Request

_TAKES_EOS = "eos" in inspect.signature(Request).parameters


def main():
    return Request("a", priority=1, **({"eos": 2} if _TAKES_EOS else {})).told
