from vllm.model_executor.models.interfaces import supports_eagle3


def hook(runner):
    model = runner.model
    if not supports_eagle3(model):  # expect[language-model-of-wrapper]
        raise ValueError("not supported")
    return model.model.layers


def whole(model):
    return supports_eagle3(model)  # ok: does not reach inside


def careful(model):
    if not supports_eagle3(model):  # ok: takes the language model itself
        model = model.get_language_model()
    return model.model
