class Small:
    def embed_input_ids(self, ids):
        return ids

    def forward(self, ids):
        return ids


class Large:
    def embed_input_ids(self, ids):
        return ids

    def forward(self, ids):
        return ids


class Wrapper:
    def __init__(self, inner):
        self.inner = inner

    def embed_input_ids(self, ids):
        return self.inner.embed_input_ids(ids)
