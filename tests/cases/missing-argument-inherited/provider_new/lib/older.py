def total(count, steps):
    return count
