"""A plain client of a Secret Service, made from the specification: what another program does on the same bus."""

import base64
import time

import dbus

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
ITEM = "org.freedesktop.Secret.Item"
PROMPT = "org.freedesktop.Secret.Prompt"
GUILT = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
PROPERTIES = "org.freedesktop.DBus.Properties"


def text_map(attributes):
    return dbus.Dictionary(attributes, signature="ss")


def plain(value):
    """What came over the bus, as JSON can hold it."""
    if isinstance(value, dbus.ByteArray):
        return base64.b64encode(value).decode()
    if value is None:
        return None
    if isinstance(value, (bool, dbus.Boolean)):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, dict):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value)


class SecretClient:
    """One connection; a session is opened for each act, because providers come and go."""

    def __init__(self, connection):
        self.connection = connection

    def call(self, path, interface, method, signature="", *values, seconds=10, name=NAME):
        return self.connection.call_blocking(
            name, path, interface, method, signature, values, timeout=seconds, byte_arrays=True)

    def get(self, path, interface, name):
        return self.call(path, PROPERTIES, "Get", "ss", interface, name)

    def session(self):
        return self.call(ROOT, SERVICE, "OpenSession", "sv", "plain", dbus.String("", variant_level=1))[1]

    def secret(self, session, value, content_type="text/plain"):
        return dbus.Struct(
            (session, dbus.ByteArray(b""), dbus.ByteArray(value), content_type), signature="oayays")

    def default(self):
        return str(self.call(ROOT, SERVICE, "ReadAlias", "s", "default"))

    def collections(self):
        paths = self.get(ROOT, SERVICE, "Collections")
        return {str(path): str(self.get(path, COLLECTION, "Label")) for path in paths}

    def prompt(self, path, seconds=5):
        """Calls a prompt and waits for its end; answers the dismissal and the result."""
        answer = []
        match = self.connection.add_signal_receiver(
            lambda dismissed, result: answer.append((bool(dismissed), result)),
            "Completed", PROMPT, path=path)
        try:
            self.call(path, PROMPT, "Prompt", "s", "")
            until = time.monotonic() + seconds
            while not answer and time.monotonic() < until:
                self.pump(0.01)
        finally:
            match.remove()
        if not answer:
            raise TimeoutError("the prompt did not complete")
        return answer[0]

    def pump(self, seconds):
        """Lets signals come in; the main loop stands behind the connection."""
        from gi.repository import GLib
        context = GLib.MainContext.default()
        if not context.iteration(False):
            time.sleep(seconds)

    def create(self, attributes, value, label="foreign", collection=None, replace=False,
               content_type="text/plain"):
        collection = collection or self.default()
        properties = dbus.Dictionary({
            ITEM + ".Label": label,
            ITEM + ".Attributes": dbus.Dictionary(attributes, signature="ss"),
        }, signature="sv")
        item, prompt = self.call(
            collection, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties,
            self.secret(self.session(), value, content_type), dbus.Boolean(replace))
        if str(prompt) != "/":
            dismissed, item = self.prompt(prompt)
            if dismissed:
                raise PermissionError("dismissed")
        return str(item)

    def search(self, attributes):
        unlocked, locked = self.call(ROOT, SERVICE, "SearchItems", "a{ss}", text_map(attributes))
        return [str(path) for path in unlocked], [str(path) for path in locked]

    def items(self, attributes):
        """Everything about the items that match, the locked ones without a value."""
        unlocked, locked = self.search(attributes)
        session = self.session()
        found = []
        for path in unlocked + locked:
            item = {
                "path": path,
                "locked": path in locked,
                "label": str(self.get(path, ITEM, "Label")),
                "attributes": plain(self.get(path, ITEM, "Attributes")),
            }
            if path in unlocked:
                secret = self.call(path, ITEM, "GetSecret", "o", session)
                item["value"] = base64.b64encode(bytes(secret[2])).decode()
                item["type"] = str(secret[3])
            found.append(item)
        return found

    def delete(self, path):
        prompt = self.call(path, ITEM, "Delete")
        if str(prompt) != "/":
            self.prompt(prompt)

    def delete_all(self, attributes):
        unlocked, locked = self.search(attributes)
        for path in unlocked + locked:
            self.delete(path)
        return len(unlocked) + len(locked)

    def is_locked(self, path):
        return bool(self.get(path, COLLECTION, "Locked"))

    def lock(self, path):
        done, prompt = self.call(ROOT, SERVICE, "Lock", "ao", dbus.Array([path], signature="o"))
        if str(prompt) != "/":
            self.prompt(prompt)

    def unlock(self, path):
        """Unlock without a password; answers whether it is open now."""
        done, prompt = self.call(ROOT, SERVICE, "Unlock", "ao", dbus.Array([path], signature="o"))
        if str(prompt) != "/":
            self.prompt(prompt)
        return not self.is_locked(path)

    def unlock_with_password(self, path, password):
        """gnome-keyring only: opens a collection as its own prompter would."""
        self.call(ROOT, GUILT, "UnlockWithMasterPassword", "o(oayays)", path,
                  self.secret(self.session(), password))

    def create_collection(self, label, password):
        """gnome-keyring only: makes a collection without its prompter."""
        properties = dbus.Dictionary({COLLECTION + ".Label": label}, signature="sv")
        return str(self.call(
            ROOT, GUILT, "CreateWithMasterPassword", "a{sv}(oayays)", properties,
            self.secret(self.session(), password)))

    def set_alias(self, name, path):
        self.call(ROOT, SERVICE, "SetAlias", "so", name, path)

    def delete_collection(self, path):
        prompt = self.call(path, COLLECTION, "Delete")
        if str(prompt) != "/":
            self.prompt(prompt)
