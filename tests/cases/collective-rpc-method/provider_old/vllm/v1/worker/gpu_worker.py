class Worker:
    def load_model(self):
        self.model = object()

    def reinitialize(self, size):
        self.size = size

    def rescale(self, size):
        self.size = size
