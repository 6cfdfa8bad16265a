"""The properties of the scripted provider's objects."""

import dbus

import scripted_behaviours as behaviours
from scripted_service import ALIAS, PREFIX, ROOT, Refusal, paths


class Properties:
    def __init__(self, service):
        self.service = service
        self.store = service.store

    def all(self, path, interface):
        kind = interface.removeprefix(PREFIX)
        if kind == "Service" and path == ROOT:
            missing = [f"{ROOT}/collection"] if self.service.switches["odd_collections"] else []
            return {"Collections": paths(missing + list(self.store.collections))}
        if kind == "Collection" and (path in self.store.collections or path == ALIAS):
            collection = self.service.collection(path)
            hidden = collection.locked and self.service.switches["hides_locked"]
            return {
                "Items": paths([] if hidden else collection.items),
                "Label": dbus.String(collection.label),
                "Locked": dbus.Boolean(collection.locked),
                "Created": dbus.UInt64(collection.created),
                "Modified": dbus.UInt64(collection.modified),
            }
        item = self.store.item(path)
        if kind == "Item" and item is not None:
            return {
                "Locked": dbus.Boolean(self.store.is_locked(item)),
                "Attributes": dbus.Dictionary(item.attributes, signature="ss"),
                "Label": dbus.String(item.label),
                "Type": dbus.String(item.attributes.get("xdg:schema", "")),
                "Created": dbus.UInt64(item.created),
                "Modified": dbus.UInt64(item.modified),
            }
        if kind == "Collection":
            self.service.collection(path)
        raise Refusal(behaviours.UNKNOWN_OBJECT)

    def handle(self, call):
        interface = str(call.arguments[0]) if call.arguments else ""
        if call.name == "Properties.GetAll":
            return "a{sv}", dbus.Dictionary(self.all(call.path, interface), signature="sv")
        if call.message.get_member() == "Get":
            change = self.service.switches["changes"].pop(call.path, None)
            if change and change[1] is None:
                del self.store.collection_of(change[0]).items[change[0]]
            elif change:
                self.set_attributes(self.store.item(change[0]), change[1])
            found = self.all(call.path, interface)
            if call.arguments[1] not in found:
                raise Refusal(behaviours.INVALID)
            return "v", found[call.arguments[1]]
        return self.set(call, interface)

    def set(self, call, interface):
        _, name, value = call.arguments
        item = self.store.item(call.path)
        if item is not None and name == "Label":
            item.label = item.label if self.service.switches["keeps_label"] else str(value)
        elif item is not None and name == "Attributes":
            self.set_attributes(item, value)
        elif call.path in self.store.collections and name == "Label":
            self.store.collections[call.path].label = str(value)
        else:
            raise Refusal(behaviours.INVALID)
        return ("",)

    def set_attributes(self, item, attributes):
        item.attributes = {str(key): str(text) for key, text in attributes.items()}
        collection = self.store.collection_of(item.path)
        self.service.emit(collection.path, "Collection", "ItemChanged", "o", dbus.ObjectPath(item.path))
