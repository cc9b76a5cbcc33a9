class Worker:
    def load_model(self):
        self.model = object()
        if self.model is None:
            raise RuntimeError("load_model() must come first")
