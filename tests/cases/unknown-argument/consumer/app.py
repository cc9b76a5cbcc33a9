from lib import draw, plan


def run(groups, specs):
    draw("circle", specs=specs)  # ok: `draw` takes any keyword
    return plan(
        groups=groups,
        specs=specs,  # expect[unknown-argument]
        memory=3,
    )
