"""A test bed of umockdev with one chip card reader, and a program in it.

    umockdev-wrapper python3 usb_testbed.py FOLDER PROGRAM ARGUMENTS...

FOLDER gets a pipe `tell`; `unplug` and `plug` there, a line each, are done as they come. Ends with the program, and as the program ended.

The reader (USB CCID 1.1) is of pid.codes' test number. What it answers is an ioctl script of umockdev: `result type endpoint status flags
length actual-length errors bytes` for each transfer, numbers as in linux/usbdevice_fs.h (type 3 bulk, 1 interrupt).
"""

import ctypes
import os
import subprocess
import sys
import threading

DESCRIPTORS = (
    "12010002000000400912010000010102" "0301"
    "09025D0001010080" "32"
    "0904000003" "0B000000"
    # Class descriptor: T=0 and T=1, short APDUs, messages of up to 271 bytes.
    "3621100100" "0703000000" "A00F0000" "A00F0000" "00" "002A0000" "002A0000" "00" "FE000000" "00000000" "00000000" "BA040200" "0F010000"
    "FFFF" "0000" "00" "01"
    "0705020240" "0000" "0705830240" "0000" "0705810308" "0010"
)
DEVICE = "/sys/devices/pci0000:00/0000:00:01.2/usb1/1-1"
NODE = "/dev/bus/usb/001/002"
DESCRIPTION = f"""P: {DEVICE.removeprefix("/sys")}
N: {NODE.removeprefix("/dev/")}={DESCRIPTORS}
E: DEVNAME={NODE}
E: DEVTYPE=usb_device
E: SUBSYSTEM=usb
E: DRIVER=usb
E: ID_USB_INTERFACES=:0b0000:
E: ID_VENDOR_ID=1209
E: ID_MODEL_ID=0001
E: BUSNUM=001
E: DEVNUM=002
A: idVendor=1209\\n
A: idProduct=0001\\n
A: manufacturer=Scripted \\n
A: product=Chip card reader\\n
A: serial=S-17\\n
A: busnum=1\\n
A: devnum=2\\n
A: bConfigurationValue=1\\n
A: speed=12\\n

"""
TRANSFERS = """@DEV {node}
USBDEVFS_CONNECTINFO 0 0200000000000000
USBDEVFS_GET_CAPABILITIES 0 00000000
USBDEVFS_REAPURBNDELAY 0 3 2 0 0 10 10 0 65000000000007000000
USBDEVFS_REAPURBNDELAY 0 3 131 0 0 64 10 0 81000000000007010000
USBDEVFS_REAPURBNDELAY 0 3 2 -32 0 1 0 0 FF
USBDEVFS_REAPURBNDELAY 0 1 129 0 0 8 2 0 5003
USBDEVFS_REAPURBNDELAY 0 1 129 0 0 8 2 0 5002
""".format(node=NODE)


def main(folder, command):
    library = ctypes.CDLL("libumockdev.so.0")
    library.umockdev_testbed_new.restype = ctypes.c_void_p
    bed = ctypes.c_void_p(library.umockdev_testbed_new())
    script = os.path.join(folder, "reader.ioctl")
    with open(script, "w") as file:
        file.write(TRANSFERS)

    def plug():
        if not library.umockdev_testbed_add_from_string(bed, DESCRIPTION.encode(), None):
            raise SystemExit("the description of the reader does not load")
        if not library.umockdev_testbed_load_ioctl(bed, NODE.encode(), script.encode(), None):
            raise SystemExit("the script of the reader does not load")

    def unplug():
        library.umockdev_testbed_uevent(bed, DEVICE.encode(), b"remove")
        library.umockdev_testbed_remove_device(bed, DEVICE.encode())

    def obey():
        # Also for writing, so that it has no end between two lines' writers.
        with os.fdopen(os.open(pipe, os.O_RDWR)) as lines:
            while line := lines.readline():
                {"plug": plug, "unplug": unplug}[line.strip()]()

    pipe = os.path.join(folder, "tell")
    os.mkfifo(pipe)
    plug()
    threading.Thread(target=obey, daemon=True).start()
    return subprocess.run(command).returncode


if __name__ == "__main__":
    status = main(sys.argv[1], sys.argv[2:])
    # Without the library's threads being asked.
    sys.stdout.flush()
    os._exit(status if status >= 0 else 1)
