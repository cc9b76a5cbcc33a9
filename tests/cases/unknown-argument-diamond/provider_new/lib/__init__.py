class Base:
    def __init__(self, data):
        pass
class Column(Base):
    def __init__(self, output_dim, **kwargs):
        super().__init__(**kwargs)
class Row(Base):
    def __init__(self, input_dim, **kwargs):
        super().__init__(**kwargs)
class Weight(Column, Row):
    pass
class Scale(Weight):
    def __init__(self, packed, **kwargs):
        super().__init__(**kwargs)
