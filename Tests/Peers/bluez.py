#!/usr/bin/env python3
"""Has the org.bluez that python-dbusmock plays do something: bluez.py BUS COMMAND [ARGUMENT ...]

call PATH INTERFACE METHOD [STRING ...]     a method whose arguments are texts
set PATH INTERFACE NAME VALUE               a property; VALUE is true, false, a text, or texts between brackets: [a,b]
get PATH INTERFACE NAME                     prints it
"""
import sys

import dbus
import dbus.bus


def value(text):
    if text in ("true", "false"):
        return dbus.Boolean(text == "true", variant_level=1)
    if text.startswith("["):
        return dbus.Array([part for part in text[1:-1].split(",") if part], signature="s", variant_level=1)
    return dbus.String(text, variant_level=1)


bus = dbus.bus.BusConnection(sys.argv[1])
command, path, interface, name, *rest = sys.argv[2:]
target = bus.get_object("org.bluez", path, introspect=False)
if command == "call":
    if interface == "org.bluez.Mock" and name == "PairDevice":
        target.PairDevice(*rest, dbus.Int32(0), dbus_interface=interface, signature="ssi")
    else:
        target.get_dbus_method(name, interface)(*rest, signature="s" * len(rest))
elif command == "set":
    target.UpdateProperties(interface, {name: value(rest[0])}, dbus_interface="org.freedesktop.DBus.Mock", signature="sa{sv}")
else:
    print(target.Get(interface, name, dbus_interface="org.freedesktop.DBus.Properties", signature="ss"))
