from lib import Request


def main():
    return Request("a").told
