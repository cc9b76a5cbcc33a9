"""Makes requests."""

from lib import Request


def main():
    return Request("a", priority=1, eos=2).told
