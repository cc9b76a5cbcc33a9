import inspect

from lib import Request

HAS_EOS = "eos" in inspect.signature(Request).parameters


def one():
    return Request("a", **({"eos": 1} if HAS_EOS else {})).told


def main():
    return one(), Request("b", eos=2).told
