"""A library whose `plan` takes the specs, and whose `draw` takes anything."""


def plan(groups, specs, memory=0):
    return (groups, specs, memory)


def draw(shape, **options):
    return (shape, options)
