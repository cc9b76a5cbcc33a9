def gaussian():
    return 1


def hamming():
    return 1


def boxcar():
    return 1
