import acme.cloud.lib
import acme.cloud.storage  # ok: another distribution's part of the namespace
import acme.login  # ok: so is this
from acme.cloud import lib
from acme.cloud.lib import legacy  # expect[unresolved-import]


def read(name):
    acme.login.login(name)
    bucket = acme.cloud.storage.Bucket(name, retries=3)
    return bucket, legacy, acme.cloud.lib.Client().fetch(name, retries=3)  # expect[unknown-argument]


def again(client: lib.Client, name):
    return client.fetch(name, retries=1)  # expect[unknown-argument]
