from lib import crop, resize


def thumbnail(image):
    crop(image, 1, 2, 3, 4)  # ok: any number is taken
    resize(image, 8, 8)  # ok: three still fit
    return resize(image, 8, 8, "slow")  # expect[too-many-positional-arguments]
