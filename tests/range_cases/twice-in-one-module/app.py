from lib import Request


def first():
    return Request("a", eos=1).told


def main():
    return first(), Request("b", eos=2).told
