from .multiarray import float_, float64
