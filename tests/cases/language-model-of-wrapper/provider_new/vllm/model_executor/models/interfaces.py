class SupportsMultiModal:
    def get_language_model(self):
        return self.language_model


class SupportsEagle3:
    supports_eagle3 = True


def supports_eagle3(model) -> bool:
    return isinstance(model, SupportsEagle3)
