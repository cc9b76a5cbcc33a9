from lib import Client, Handler, Proxy, Schema

client = Client("here")
client["one"].insert({})  # expect[unresolved-attribute]
client.two.insert({})  # expect[unresolved-attribute]
client["one"].insert_one({})  # ok: still there
client.two.three.insert_one({})  # ok: any name is a collection inside it

Proxy().close()  # expect[unresolved-attribute]
Proxy().open()  # ok: what stands behind it has it


class Mine(Schema):
    def load(self) -> int:
        return 1

    def check(self) -> int:  # expect[invalid-method-override]
        return 1


Mine().dump()  # ok: inherited through `with_metaclass`
Mine(strict=True)  # expect[unknown-argument]


class Page(Handler):
    def get(self) -> int:  # ok: an alias in the base class is overridden
        return 1


Page().post(1)  # ok: the alias is a method, with its receiver filled
