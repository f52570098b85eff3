#!/usr/bin/env python3
"""How long the kernel takes to give up a pending USB transfer, with nothing of ours: USBDEVFS_DISCARDURB, 400 times on each input endpoint of each chip card reader.

What cancelling a transfer costs at the least (tools/benchmarks/cancellation). Linux, include/uapi/linux/usbdevice_fs.h.
"""
import ctypes
import fcntl
import os
import pathlib
import struct
import time

ROUNDS = 400


class URB(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_ubyte), ("endpoint", ctypes.c_ubyte), ("status", ctypes.c_int), ("flags", ctypes.c_uint), ("buffer", ctypes.c_void_p),
        ("buffer_length", ctypes.c_int), ("actual_length", ctypes.c_int), ("start_frame", ctypes.c_int), ("number_of_packets", ctypes.c_int),
        ("error_count", ctypes.c_int), ("signr", ctypes.c_uint), ("usercontext", ctypes.c_void_p),
    ]


CLAIMINTERFACE, SUBMITURB, DISCARDURB, REAPURBNDELAY = 0x8004550F, 0x8000550A | ctypes.sizeof(URB) << 16, 0x550B, 0x4008550D
# Kinds of transfer in an endpoint's bmAttributes, and what usbfs calls them.
KINDS = {2: ("bulk", 3), 3: ("interrupt", 1)}
libc = ctypes.CDLL(None)


def ioctl(device, request, argument):
    return libc.ioctl(device, ctypes.c_ulong(request), argument) == 0


def measure(device, address, kind, length):
    """Milliseconds, sorted. A transfer that came to its end does not count."""
    times = []
    while len(times) < ROUNDS:
        buffer = ctypes.create_string_buffer(length)
        urb = URB(type=kind, endpoint=address, buffer=ctypes.addressof(buffer), buffer_length=length)
        if not ioctl(device, SUBMITURB, ctypes.byref(urb)):
            raise OSError("a transfer is not taken")
        time.sleep(0.005)
        begin = time.monotonic_ns()
        is_discarded = ioctl(device, DISCARDURB, ctypes.byref(urb))
        end = time.monotonic_ns()
        ioctl(device, REAPURBNDELAY, ctypes.byref(ctypes.c_void_p()))
        if is_discarded:
            times.append((end - begin) / 1e6)
    return sorted(times)


for interface in sorted(pathlib.Path("/sys/bus/usb/devices").glob("*:1.0")):
    if (interface / "bInterfaceClass").read_text().strip() != "0b":
        continue
    node = interface.resolve().parent
    controller = (node.parent / "product").read_text().strip()
    device = os.open(f"/dev/bus/usb/{int((node / 'busnum').read_text()):03}/{int((node / 'devnum').read_text()):03}", os.O_RDWR)
    fcntl.ioctl(device, CLAIMINTERFACE, struct.pack("I", 0))
    for endpoint in sorted(interface.glob("ep_8*")):
        name, kind = KINDS[int((endpoint / "bmAttributes").read_text(), 16) & 3]
        length = int((endpoint / "wMaxPacketSize").read_text(), 16)
        times = measure(device, int((endpoint / "bEndpointAddress").read_text(), 16), kind, length)
        print(f"the kernel alone: {controller}, {name}: p50 {times[ROUNDS // 2]:.2f} ms, p99 {times[ROUNDS * 99 // 100]:.2f} ms, most {times[-1]:.2f} ms")
    os.close(device)
