from acme import Writer


def export(rows):
    writer = Writer()
    for row in rows:
        writer.write(row)
    writer.close()  # expect[flush-before-close]


def careful(rows):
    writer = Writer()
    for row in rows:
        writer.write(row)
    writer.flush()
    writer.close()  # ok: flushed
