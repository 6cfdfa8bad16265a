"""The Secret Service of the scripted provider: what each method does when nothing goes wrong on purpose."""

import dbus

import scripted_behaviours as behaviours
from scripted_session import EncryptedSession, PlainSession

ROOT = "/org/freedesktop/secrets"
PREFIX = "org.freedesktop.Secret."
ALIAS = ROOT + "/aliases/default"


class Refusal(Exception):
    """An error reply."""

    def __init__(self, name, text="remote text"):
        super().__init__(name)
        self.name = name
        self.text = text


class Call:
    """One method call, with a short name such as Service.OpenSession."""

    def __init__(self, message):
        self.message = message
        self.path = message.get_path()
        self.sender = message.get_sender()
        interface = message.get_interface() or ""
        self.name = interface.rsplit(".", 1)[-1] + "." + message.get_member()
        self.arguments = message.get_args_list(byte_arrays=True)
        if self.name == "Properties.Get":
            self.name = str(self.arguments[0]).rsplit(".", 1)[-1] + "." + str(self.arguments[1])


def paths(values):
    return dbus.Array([dbus.ObjectPath(value) for value in values], signature="o")


class Service:
    """The methods by name. Each gets the call and answers a signature and values."""

    def __init__(self, store, switches, emit, make_prompt):
        self.store = store
        self.switches = switches
        self.emit = emit
        self.make_prompt = make_prompt
        self.sessions = {}
        self.session_number = 0

    def handle(self, call):
        method = getattr(self, call.name.replace(".", "_"), None)
        if method is None:
            raise Refusal(behaviours.UNKNOWN_METHOD)
        return method(call)

    # Finding objects.

    def collection(self, path):
        if path == ALIAS and self.switches["alias_object"] and self.switches["alias"] == "normal":
            return self.store.main
        if path not in self.store.collections or self.switches["alias"] in ("unknown-method", "unknown-object"):
            name = behaviours.UNKNOWN_METHOD if self.switches["alias"] == "unknown-method" else behaviours.UNKNOWN_OBJECT
            raise Refusal(name)
        return self.store.collections[path]

    def item(self, path):
        item = self.store.item(path)
        if item is None:
            raise Refusal(behaviours.UNKNOWN_OBJECT)
        return item

    def session(self, path, sender):
        session, owner = self.sessions.get(path, (None, None))
        if session is None or owner != sender:
            raise Refusal(behaviours.NO_SESSION)
        return session

    # org.freedesktop.Secret.Service

    def Service_OpenSession(self, call):
        algorithm, entry = call.arguments
        if algorithm not in self.switches["algorithms"]:
            raise Refusal(behaviours.NOT_SUPPORTED)
        output = dbus.String("", variant_level=1)
        session = PlainSession()
        if algorithm == behaviours.DH:
            session = EncryptedSession(bytes(entry), self.switches["leading_zeros"])
            output = dbus.ByteArray(session.public, variant_level=1)
        self.session_number += 1
        path = f"{ROOT}/session/s{self.session_number}"
        self.sessions[path] = session, call.sender
        return "vo", output, path

    def Session_Close(self, call):
        self.sessions.pop(call.path, None)
        return ("",)

    def Service_SearchItems(self, call):
        unlocked, locked = self.store.search(list(self.store.collections.values()), call.arguments[0])
        return "aoao", paths(unlocked), paths(locked)

    def Service_ReadAlias(self, call):
        known = call.arguments[0] == "default" and self.switches["alias"] != "absent" and self.store.main
        path = self.store.main.path if known else "/"
        if self.switches["alias"] == "vanishing" and known:
            self.store.collections.pop(path)
            self.store.main = None
        return "o", path

    def Service_SetAlias(self, call):
        raise Refusal(behaviours.NOT_SUPPORTED)

    def Service_CreateCollection(self, call):
        label = str(call.arguments[0].get(PREFIX + "Collection.Label", ""))

        def make():
            made = self.store.add_collection(f"made{len(self.store.collections)}", label)
            return dbus.ObjectPath(made.path, variant_level=1)
        return "oo", "/", self.make_prompt(make, dbus.ObjectPath("/", variant_level=1))

    def Service_Lock(self, call):
        def lock():
            for path in call.arguments[0]:
                self.set_locked(path, True)
            return paths(call.arguments[0])
        return self.now_or_prompt("Service.Lock", "aoo", lock, paths([]))

    def Service_Unlock(self, call):
        asked = [str(path) for path in call.arguments[0]]
        how = self.switches["unlock"]

        def is_open(path):
            item = self.store.item(path)
            return not (self.store.is_locked(item) if item else self.collection(path).locked)

        def unlock():
            if self.switches["prompt"] != "still-locked":
                for path in asked:
                    self.set_locked(path, False)
            return dbus.Array(paths(asked), signature="o", variant_level=1)

        waiting = [path for path in asked if not is_open(path)]
        if not waiting or how == "direct":
            for path in waiting:
                self.set_locked(path, False)
            return "aoo", paths(asked), "/"
        if how == "refused":
            return "aoo", paths(asked), "/"
        if how == "never":
            return "aoo", paths([path for path in asked if path not in waiting]), "/"
        empty = dbus.Array([], signature="o", variant_level=1)
        return "aoo", paths([path for path in asked if path not in waiting]), self.make_prompt(unlock, empty)

    def set_locked(self, path, locked):
        item = self.store.item(path)
        if item is not None:
            item.locked = locked
            if locked:
                return
        # A provider opens the whole collection for one of its items.
        collection = self.store.collection_of(path) if item is not None else self.collection(path)
        collection.locked = locked
        self.emit(ROOT, "Service", "CollectionChanged", "o", collection.path)

    def Service_GetSecrets(self, call):
        asked, session_path = call.arguments
        session = self.session(session_path, call.sender)
        found = {}
        for path in asked:
            item = self.store.item(path)
            if item is None:
                if self.switches["dead_fails_bulk"]:
                    raise Refusal(behaviours.INVALID)
                continue
            if self.store.is_locked(item) and not self.switches["empty_when_locked"]:
                if self.switches["locked_fails_bulk"]:
                    raise Refusal(behaviours.IS_LOCKED)
                continue
            found[dbus.ObjectPath(path)] = self.secret(item, session, session_path)
        return "a{o(oayays)}", dbus.Dictionary(found, signature="o(oayays)")

    # org.freedesktop.Secret.Collection

    def Collection_SearchItems(self, call):
        unlocked, locked = self.store.search([self.collection(call.path)], call.arguments[0])
        return "ao", paths(unlocked + locked)

    def Collection_CreateItem(self, call):
        properties, (session, parameters, value, content_type), replace = call.arguments
        collection = self.collection(call.path)
        if collection.locked:
            raise Refusal(behaviours.IS_LOCKED)
        value = self.session(session, call.sender).decrypt(bytes(parameters), bytes(value))
        if self.store.is_rejected(value):
            raise Refusal(behaviours.INVALID)
        attributes = {str(key): str(text) for key, text in properties.get(PREFIX + "Item.Attributes", {}).items()}
        label = str(properties.get(PREFIX + "Item.Label", ""))

        def create():
            item, is_new = self.store.create(
                collection, attributes, label, value, str(content_type), bool(replace))
            if self.switches["loses_writes"]:
                del collection.items[item.path]
            self.emit(collection.path, "Collection", "ItemCreated" if is_new else "ItemChanged", "o", item.path)
            if is_new and self.switches["rival"]:
                rival = self.store.rival(collection, item)
                self.emit(collection.path, "Collection", "ItemCreated", "o", rival.path)
            return dbus.ObjectPath(item.path)
        return self.now_or_prompt("Collection.CreateItem", "oo", create, dbus.ObjectPath("/"))

    def Collection_Delete(self, call):
        collection = self.collection(call.path)
        del self.store.collections[collection.path]
        return "o", "/"

    # org.freedesktop.Secret.Item

    def Item_GetSecret(self, call):
        item = self.item(call.path)
        session = self.session(call.arguments[0], call.sender)
        if self.store.is_locked(item) and not self.switches["empty_when_locked"]:
            raise Refusal(behaviours.IS_LOCKED)
        return "(oayays)", self.secret(item, session, call.arguments[0])

    def Item_SetSecret(self, call):
        item = self.item(call.path)
        session, parameters, value, content_type = call.arguments[0]
        if self.store.is_locked(item):
            raise Refusal(behaviours.IS_LOCKED)
        value = self.session(session, call.sender).decrypt(bytes(parameters), bytes(value))
        if self.store.is_rejected(value):
            raise Refusal(behaviours.INVALID)
        self.store.set_value(item, value, str(content_type))
        self.emit(self.store.collection_of(item.path).path, "Collection", "ItemChanged", "o", item.path)
        return ("",)

    def Item_Delete(self, call):
        item = self.item(call.path)
        collection = self.store.collection_of(item.path)
        if self.store.is_locked(item):
            raise Refusal(behaviours.IS_LOCKED)

        def delete():
            if not self.switches["loses_writes"]:
                collection.items.pop(item.path, None)
            self.emit(collection.path, "Collection", "ItemDeleted", "o", item.path)
            return dbus.String("")
        return self.now_or_prompt("Item.Delete", "o", delete, dbus.String(""))

    def secret(self, item, session, session_path):
        value = b"" if self.store.is_locked(item) else item.value
        parameters, value = session.encrypt(value)
        return dbus.Struct(
            (dbus.ObjectPath(session_path), dbus.ByteArray(parameters), dbus.ByteArray(value),
             self.switches["content_type"] or item.content_type), signature="oayays")

    def now_or_prompt(self, name, signature, act, nothing):
        """Acts at once, or leaves the act to a prompt, as the behaviour has it."""
        if name in self.switches["prompts_for"]:
            prompt = self.make_prompt(act, nothing)
            return {"aoo": ("aoo", paths([]), prompt), "oo": ("oo", "/", prompt), "o": ("o", prompt)}[signature]
        result = act()
        return {"aoo": ("aoo", result, "/"), "oo": ("oo", result, "/"), "o": ("o", "/")}[signature]
