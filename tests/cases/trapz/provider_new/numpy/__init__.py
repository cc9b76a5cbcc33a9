def trapezoid(y, x=None):
    return y
