__all__ = ["common_type"]


def common_type():
    return 1

