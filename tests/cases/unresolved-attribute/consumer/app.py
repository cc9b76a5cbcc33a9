from lib import Model


class Other:
    def get_input_embeddings(self):
        return []


def run(model: Model, other: Other):
    other.get_input_embeddings()  # ok: another class
    model.forward()  # ok: still there
    model.never_existed  # ok: never existed
    if hasattr(model, "get_input_embeddings"):
        model.get_input_embeddings()  # ok: asked before
    return model.get_input_embeddings()  # expect[unresolved-attribute]
