def connect(host):
    return host
