#!/usr/bin/env python3
"""A second implementation of D-Bus messages, GLib's: one line of hexadecimal digits each.

dbus_message.py write ORDER          signals and calls with values of every type, for the test to read; ORDER is little or big
dbus_message.py read HEX             what GLib makes of a message: kind, serial, path, interface, member, destination, body in GVariant's text form
"""
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

BODIES = [
    "(byte 0x2a, true, int16 -2, uint16 65534, -3, uint32 4000000000)",
    "(int64 -5, uint64 18446744073709551615, 1.5, 'text', objectpath '/org/bluez', signature 'a{sv}')",
    "([byte 0x01, 0x02], ['a', 'bc', ''], @ax [int64 7], @as [], @a(yt) [(0x01, 2)])",
    "({'Name': <'Miura 001'>, 'Paired': <true>, 'UUIDs': <['00001101-0000-1000-8000-00805f9b34fb']>, 'Nested': <<(int16 1, <'x'>)>>},)",
    "({objectpath '/org/bluez/hci0': {'org.bluez.Adapter1': {'Powered': <true>}}},)",
]


def write(order):
    for number, body in enumerate(BODIES, 1):
        message = Gio.DBusMessage.new_signal("/org/bluez", "org.bluez.Test", "Changed")
        message.set_sender(":1.7")
        message.set_serial(number)
        message.set_byte_order(Gio.DBusMessageByteOrder.BIG_ENDIAN if order == "big" else Gio.DBusMessageByteOrder.LITTLE_ENDIAN)
        message.set_body(GLib.Variant.parse(None, body, None, None))
        print(bytes(message.to_blob(Gio.DBusCapabilityFlags.NONE)).hex())


def read(text):
    message = Gio.DBusMessage.new_from_blob(bytes.fromhex(text), Gio.DBusCapabilityFlags.NONE)
    body = message.get_body()
    print(int(message.get_message_type()), message.get_serial(), int(message.get_flags()), message.get_path(), message.get_interface(), message.get_member(),
          message.get_destination(), body.print_(True) if body is not None else "none")


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    read(sys.argv[2])
