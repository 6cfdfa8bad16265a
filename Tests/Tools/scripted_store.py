"""What the scripted provider holds: collections and items, without any bus."""

import time


class Item:
    def __init__(self, path, attributes, label, value, content_type):
        self.path = path
        self.attributes = attributes
        self.label = label
        self.value = value
        self.content_type = content_type
        self.locked = False
        self.created = self.modified = int(time.time())


class Collection:
    def __init__(self, path, label, locked):
        self.path = path
        self.label = label
        self.locked = locked
        self.items = {}
        self.made = 0
        self.created = self.modified = int(time.time())

    def matching(self, attributes):
        return [item for item in self.items.values() if attributes.items() <= item.attributes.items()]


class Store:
    """The collections, under the switches of a behaviour."""

    def __init__(self, switches):
        self.switches = switches
        self.collections = {}
        if switches["odd_collections"]:
            self.add_collection("odd", "")
        self.main = self.add_collection(switches["collection_name"], switches["collection_label"], switches["locked"])

    def add_collection(self, name, label, locked=False):
        path = f"{self.switches['prefix']}/collection/{name}"
        self.collections[path] = Collection(path, label, locked)
        return self.collections[path]

    def item(self, path):
        for collection in self.collections.values():
            if path in collection.items:
                return collection.items[path]
        return None

    def collection_of(self, path):
        return next((each for each in self.collections.values() if path in each.items), None)

    def is_locked(self, item):
        return item.locked or self.collection_of(item.path).locked

    def search(self, collections, attributes):
        """Unlocked and locked paths, as the switches have it."""
        unlocked, locked = [], []
        for collection in collections:
            if collection.locked and self.switches["hides_locked"]:
                continue
            for item in collection.matching(attributes):
                (locked if self.is_locked(item) else unlocked).append(item.path)
        for number in range(self.switches["dangling"]):
            unlocked.insert(0, f"{self.main.path}/gone{number}")
        return unlocked, locked

    def create(self, collection, attributes, label, value, content_type, replace):
        attributes = dict(attributes)
        stored = {**self.switches["added_attributes"], **attributes}
        value = self.held(value)
        if replace:
            old = self.replaced(collection, attributes, stored)
            if old is not None:
                old.value, old.attributes = value, stored
                old.content_type = content_type
                old.modified = int(time.time())
                if not self.switches["keeps_label"]:
                    old.label = label
                return old, False
        collection.made += 1
        item = Item(f"{collection.path}/{collection.made}", stored, label, value, content_type)
        if any(word == "*" or word in attributes.values() for word in self.switches["locked_items"]):
            item.locked = True
        collection.items[item.path] = item
        return item, True

    def rival(self, collection, item):
        """The same item once more, as another client makes it."""
        path = f"{collection.path}/{'0' if self.switches['rival'] == 'first' else 'z'}"
        twin = Item(path, dict(item.attributes), item.label, b"theirs", item.content_type)
        collection.items[path] = twin
        return twin

    def replaced(self, collection, attributes, stored):
        for item in collection.items.values():
            if self.switches["replace"] == "exact" and item.attributes == stored:
                return item
            if self.switches["replace"] == "subset" and attributes.items() <= item.attributes.items():
                return item
        return None

    def set_value(self, item, value, content_type):
        if self.switches["loses_writes"]:
            return
        item.value, item.content_type = self.held(value), content_type
        item.modified = int(time.time())

    def held(self, value):
        """What is left of a value that this provider stores."""
        if self.switches["mangle"] == "invalid":
            return value.decode("utf-8", "replace").encode()
        if self.switches["mangle"] == "newlines":
            return value.replace(b"\n", b" ")
        return value

    def is_rejected(self, value):
        if not self.switches["reject"]:
            return False
        try:
            value.decode("utf-8")
            return False
        except UnicodeDecodeError:
            return True
