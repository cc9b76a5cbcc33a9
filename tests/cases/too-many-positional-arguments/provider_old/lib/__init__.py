"""Positions are free."""


def resize(image, width, height, mode="fast"):
    return (image, width, height, mode)


def crop(image, *box):
    return (image, box)
