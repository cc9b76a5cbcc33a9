def fetch(url, timeout_seconds=1):
    return url, timeout_seconds
