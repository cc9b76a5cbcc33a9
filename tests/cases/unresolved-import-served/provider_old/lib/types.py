__all__ = ["common_type", "find_type"]


def common_type():
    return 1


def find_type():
    return 1
