#ifndef CDEVICEIO_HOTPLUG_H
#define CDEVICEIO_HOTPLUG_H

#include <stdint.h>

/* Devices: those that are there, those that udev has made ready for programs, and those that the kernel has removed. */

enum cdio_change { CDIO_PRESENT = 0, CDIO_ADDED = 1, CDIO_REMOVED = 2 };

/* Strings end with a zero and are cut where they do not fit. */
struct cdio_device {
    uint64_t sequence;       /* SEQNUM, which numbers the kernel's messages about all devices; 0 in a list */
    uint32_t change;         /* enum cdio_change */
    uint16_t vendor;         /* of the USB device that the node belongs to, 0 if it belongs to none */
    uint16_t product;
    char subsystem[16];      /* "usb", "hidraw", "tty" */
    char node[64];           /* "/dev/hidraw0" */
    char path[256];          /* in sysfs, without "/sys": one for each node, the same as long as it is there */
    char usb_path[256];      /* of the USB device that the node belongs to */
    char interface[8];       /* bInterfaceNumber of the node's USB interface, two hexadecimal digits */
    char interfaces[128];    /* of a USB device: ":CCSSPP:CCSSPP:", class, subclass and protocol of each interface */
    char maker[64];
    char model[64];
    char serial[64];
    char driver[32];         /* of the node's parent */
};

struct cdio_monitor;

/* Listens for changes; those from here on are not missed. Removals are reported by the kernel and once more by udev, which may be much later. So a removal
   counts only for a device that was added before it: by `sequence`. */
int cdio_monitor_open(struct cdio_monitor **monitor);
void cdio_monitor_close(struct cdio_monitor *monitor);

/* Can be read when there is a change. */
int cdio_monitor_descriptor(const struct cdio_monitor *monitor);

/* Takes the next change: 1, or 0 without a change, or -ENOBUFS if changes were lost and the devices must be listed again. */
int cdio_monitor_next(struct cdio_monitor *monitor, struct cdio_device *device);

/* Calls `visit` for every device there is; a visit that gives something else than 0 ends the list, and that is given back. */
int cdio_list_devices(int (*visit)(const struct cdio_device *device, void *context), void *context);

#endif
