def connect(host, extra=None):
    return host
