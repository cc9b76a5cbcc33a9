def trapz(y, x=None):
    return y


trapezoid = trapz
