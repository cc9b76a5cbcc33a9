import lib


def embed(model, ids):
    if not lib:
        return None
    model.forward(ids)  # ok: every class kept it
    model.no_such_method(ids)  # ok: no class ever had it
    if hasattr(model, "get_input_embeddings"):
        model.get_input_embeddings(ids)  # ok: asked before
    return model.get_input_embeddings(ids)  # expect[vanished-member]
