import inspect

from lib import Request

_TAKES_EOS = "eos" in inspect.signature(Request).parameters


def first():
    return Request("a", **({"eos": 1} if _TAKES_EOS else {})).told


def main():
    return first(), Request("b", **({"eos": 2} if _TAKES_EOS else {})).told
