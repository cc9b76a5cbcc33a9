import numpy as np


def area(y, x):
    return np.trapz(y, x) + np.trapezoid(y, x)  # expect[trapz]


def mine(trapz):
    return trapz.trapz  # ok: another trapz
