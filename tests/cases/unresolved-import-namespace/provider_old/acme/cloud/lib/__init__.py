"""A part of the namespace `acme.cloud`, which other distributions share."""


class Client:
    def fetch(self, name, retries=0):
        return [name] * retries
