#!/usr/bin/python3 -B
"""A Secret Service whose behaviour is chosen by name, for tests.

    scripted_provider.py [BEHAVIOUR]

It takes org.freedesktop.secrets on the bus of DBUS_SESSION_BUS_ADDRESS. The behaviour is changed, and what it was asked
is counted, over another connection: interface org.example.Scripted of the name org.example.Scripted, path /.
"""

import base64
import json
import os
import sys

import dbus
import dbus.bus
import dbus.lowlevel as lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

import scripted_behaviours as behaviours
from scripted_properties import Properties
from scripted_service import PREFIX, ROOT, Call, Refusal, Service
from scripted_store import Store

NAME = "org.freedesktop.secrets"
CONTROL = "org.example.Scripted"
loop = GLib.MainLoop()


class Prompt:
    def __init__(self, provider, act, nothing):
        self.provider = provider
        self.act = act
        self.nothing = nothing
        self.path = f"{ROOT}/prompt/p{len(provider.prompts) + 1}"

    def complete(self, dismissed):
        switches = self.provider.switches
        if dismissed or switches["prompt"] == "dismiss":
            payload = (dbus.Boolean(True), self.variant(self.nothing))
        elif switches["prompt"] == "malformed":
            payload = {
                "string": (dbus.Boolean(False), dbus.String("no path", variant_level=1)),
                "dismissed string": (dbus.Boolean(True), dbus.UInt32(7, variant_level=1)),
                "root": (dbus.Boolean(False), dbus.ObjectPath("/", variant_level=1)),
                "nothing": (),
            }[switches["payload"]]
        else:
            payload = (dbus.Boolean(False), self.variant(self.act()))
        self.provider.emit(self.path, "Prompt", "Completed", "bv" if payload else "", *payload)
        return False

    @staticmethod
    def variant(value):
        if isinstance(value, dbus.Array):
            return dbus.Array(value, signature="o", variant_level=1)
        return type(value)(value, variant_level=1)


class Provider:
    def __init__(self, address):
        self.address = address
        self.link = None
        self.counts = {}
        self.control = self.connect(self.handle_control, CONTROL)

    def connect(self, handler, name):
        connection = dbus.bus.BusConnection(self.address)
        connection.set_exit_on_disconnect(False)
        connection.add_message_filter(handler)
        connection.request_name(name)
        return connection

    # Behaviour.

    def behave(self, name, changes=None):
        self.switches = {**behaviours.switches(name), **(changes or {})}
        self.store = Store(self.switches)
        self.begin()

    def begin(self):
        """What no client keeps: sessions and prompts."""
        self.prompts = {}
        self.service = Service(self.store, self.switches, self.emit, self.make_prompt)
        self.properties = Properties(self.service)

    def appear(self):
        self.begin()
        self.link = self.connect(self.handle, NAME)
        for name in self.switches["names"]:
            self.link.request_name(name)

    def hand_over(self):
        """Lets another connection have the name, which was waiting for it."""
        self.switches["gone"] = []
        former = self.link
        self.appear()
        former.close()

    def leave(self):
        if self.link is not None:
            name = self.link.get_unique_name()
            self.link.close()
            # Else the bus may still deliver what a client sends next.
            while self.control.name_has_owner(name):
                pass
        self.link = None

    def make_prompt(self, act, nothing):
        prompt = Prompt(self, act, nothing)
        self.prompts[prompt.path] = prompt
        return prompt.path

    def emit(self, path, interface, member, signature, *values):
        signal = lowlevel.SignalMessage(path, PREFIX + interface, member)
        if signature:
            signal.append(signature=signature, *values)
        if self.link is not None:
            self.link.send_message(signal)

    # Calls.

    def switch(self, name, call):
        """What a switch that goes by method says about a call."""
        table = self.switches[name]
        if isinstance(table, list):
            return call.name in table or "*" in table
        return table.get(call.name, table.get("*"))

    def handle(self, connection, message):
        if not isinstance(message, lowlevel.MethodCallMessage):
            return lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        call = Call(message)
        if call.name == "Peer.Ping":
            return lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        self.counts[call.name] = self.counts.get(call.name, 0) + 1
        if self.switch("gone", call):
            if self.switches["has_successor"]:
                self.hand_over()
            else:
                self.leave()
            return lowlevel.HANDLER_RESULT_HANDLED
        limit = self.switch("silent_after", call)
        if self.switch("silent", call) or limit is not None and self.counts[call.name] > limit:
            return lowlevel.HANDLER_RESULT_HANDLED
        late = self.switch("late", call)
        if late:
            GLib.timeout_add(int(late * 1000), self.reply, connection, call)
        else:
            self.reply(connection, call)
        return lowlevel.HANDLER_RESULT_HANDLED

    def reply(self, connection, call):
        after = []
        try:
            error = self.switch("errors", call)
            if error:
                raise Refusal(*error)
            malformed = self.switch("malformed", call)
            if malformed:
                message = self.misshapen(call, malformed)
            else:
                signature, *values = self.answer(call, after)
                message = lowlevel.MethodReturnMessage(call.message)
                if signature:
                    message.append(signature=signature, *values)
        except Refusal as refusal:
            message = lowlevel.ErrorMessage(call.message, refusal.name, refusal.text)
        except Exception as error:  # a fault of this program must show in the test
            print(call.name, repr(error), file=sys.stderr, flush=True)
            message = lowlevel.ErrorMessage(call.message, "org.example.Fault", repr(error))
        if connection.get_is_connected():
            connection.send_message(message)
        for act in after:
            act()
        return False

    @staticmethod
    def misshapen(call, kind):
        message = lowlevel.MethodReturnMessage(call.message)
        if kind == "types":
            message.append(dbus.UInt32(7), dbus.Array(["text"], signature="s"), signature="uas")
        return message

    def answer(self, call, after):
        if call.message.get_interface() == "org.freedesktop.DBus.Properties":
            return self.properties.handle(call)
        if call.name.startswith("Prompt."):
            return self.prompt_call(call, after)
        if call.name == "Introspectable.Introspect":
            return "s", "<node/>"
        return self.service.handle(call)

    def prompt_call(self, call, after):
        prompt = self.prompts.get(call.path)
        if prompt is None:
            raise Refusal(behaviours.UNKNOWN_OBJECT)
        if call.name == "Prompt.Dismiss":
            if not self.switches["has_dismiss"]:
                raise Refusal(behaviours.UNKNOWN_METHOD, "Dismiss is not implemented")
            after.append(lambda: prompt.complete(True))
        elif self.switches["prompt"] != "never":
            delay = int(self.switches["prompt_delay"] * 1000)
            after.append(lambda: GLib.timeout_add(delay, prompt.complete, False))
        return ("",)

    def handle_control(self, connection, message):
        if not isinstance(message, lowlevel.MethodCallMessage) or message.get_interface() != CONTROL:
            return lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        arguments = [json.loads(text) for text in message.get_args_list()]
        try:
            answer = getattr(self, "control_" + message.get_member())(*arguments)
            reply = lowlevel.MethodReturnMessage(message)
            reply.append(json.dumps(answer), signature="s")
        except Exception as error:
            reply = lowlevel.ErrorMessage(message, "org.example.Fault", repr(error))
        connection.send_message(reply)
        return lowlevel.HANDLER_RESULT_HANDLED

    def control_behave(self, name, changes):
        """Another behaviour and another owner of the name, with nothing stored and nothing counted."""
        self.leave()
        self.behave(name, changes)
        self.counts.clear()
        self.appear()

    def control_adjust(self, changes):
        """Other switches over the same items."""
        self.switches.update(changes)

    def control_counts(self, clear):
        counts = dict(self.counts)
        if clear:
            self.counts.clear()
        return counts

    def control_add(self, attributes, value, options):
        """Puts an item there without a call over the Secret Service."""
        path = options.get("collection") or self.store.main.path
        item, _ = self.store.create(
            self.store.collections[path], attributes, options.get("label", ""), base64.b64decode(value),
            options.get("type", "text/plain"), False)
        item.locked = options.get("locked", item.locked)
        self.emit(path, "Collection", "ItemCreated", "o", dbus.ObjectPath(item.path))
        return item.path

    def control_add_collection(self, name, label, locked):
        return self.store.add_collection(name, label, locked).path

    def control_change(self, path, attributes, tells):
        """Another client gives an item other attributes, or removes it, with the signal; or the file is exchanged, without."""
        collection = self.store.collection_of(path)
        collection.modified += 0 if tells else 1
        if attributes is None:
            del collection.items[path]
        else:
            collection.items[path].attributes = attributes
        if tells:
            self.emit(collection.path, "Collection", "ItemChanged" if attributes else "ItemDeleted", "o",
                      dbus.ObjectPath(path))

    def control_items(self):
        return [
            {"path": item.path, "attributes": item.attributes, "label": item.label, "locked": item.locked,
             "value": base64.b64encode(item.value).decode(), "type": item.content_type}
            for collection in self.store.collections.values() for item in collection.items.values()]

    def control_set_default(self, path):
        self.store.main = self.store.collections[path]

    def control_remove_collection(self, path):
        del self.store.collections[path]

    def control_lock(self, locked):
        self.store.main.locked = locked

    def control_restart(self, locked, is_empty):
        """Another owner of the name: the sessions are gone, the items are there unless it is empty."""
        self.leave()
        if is_empty:
            self.store = Store(self.switches)
        self.store.main.locked = locked
        self.appear()

    def control_leave(self):
        self.leave()

    def control_forget_sessions(self):
        self.service.sessions.clear()


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    provider = Provider(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    provider.control_behave(sys.argv[1] if len(sys.argv) > 1 else "normal", {})
    loop.run()


main()
