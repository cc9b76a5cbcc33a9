import lib
from lib import Request
from packaging.version import Version


def quick():
    if Version(lib.__version__) >= Version("1.1"):
        return lib.fast()
    return lib.slow()


def main():
    return quick(), Request("a", **({} if Version(lib.__version__) >= Version("1.2") else {"eos": 1})).told
