import inspect

from lib import Request

_TAKES_EOS = "eos" in inspect.signature(Request).parameters


def main():
    return Request("a", **({"eos": 1} if _TAKES_EOS else {})).told
