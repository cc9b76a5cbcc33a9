from lib import Request


def main():
    return Request("a", eos=1).told
