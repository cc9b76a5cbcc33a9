from lib import Scale, Weight


class Mine(Scale):
    def __init__(self, **kwargs):
        super().__init__(packed=1, **kwargs)


Weight(data=1, output_dim=0, input_dim=1)  # ok: the other base takes what the first one passes on
Scale(packed=2, data=1, output_dim=0, input_dim=1, shape=3)  # expect[unknown-argument]
Mine(data=1, output_dim=0, input_dim=1, shape=2)  # expect[unknown-argument]
