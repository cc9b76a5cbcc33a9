"""The name changed."""


class Model:
    def embed_input_ids(self):
        return []

    def forward(self):
        return self.embed_input_ids()
