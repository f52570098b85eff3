#include "hotplug.h"

#include <errno.h>
#include <libudev.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* The kernel's own messages, and those that udev sends after its rules are done. */
enum source { KERNEL, UDEV, SOURCE_COUNT };
static const char *const source_names[SOURCE_COUNT] = {"kernel", "udev"};

struct cdio_monitor {
    struct udev *udev;
    struct udev_monitor *sources[SOURCE_COUNT];
    int epoll; /* of the descriptors of all sources */
};

/* tty also has the kernel's virtual consoles: only those that belong to a device are of interest. */
static const char *const subsystems[] = {"usb", "hidraw", "tty"};
#define SUBSYSTEM_COUNT (sizeof subsystems / sizeof subsystems[0])
#define RECEIVE_BUFFER (4 * 1024 * 1024)

static void copy(char *target, size_t size, const char *text) {
    size_t length = text == NULL ? 0 : strlen(text);
    if (length >= size) length = size - 1;
    if (length > 0) memcpy(target, text, length);
    /* A longer text may have been there. */
    memset(target + length, 0, size - length);
}

static uint16_t hexadecimal(const char *text) {
    return text == NULL ? 0 : (uint16_t)strtoul(text, NULL, 16);
}

/* The text that the device gives itself, or that udev kept of it: a removed device has no files any more. */
static const char *text_of(struct udev_device *device, struct udev_device *usb, const char *attribute, const char *property) {
    const char *text = usb == NULL ? NULL : udev_device_get_sysattr_value(usb, attribute);
    return text != NULL ? text : udev_device_get_property_value(device, property);
}

/* Whether the device is of a kind that matters; fills `target` if so. Of one that was removed the parents are gone too, and little is known but its path. */
static int describe(struct udev_device *device, int is_removed, struct cdio_device *target) {
    const char *subsystem = udev_device_get_subsystem(device), *node = udev_device_get_devnode(device);
    const char *type = udev_device_get_devtype(device), *path = udev_device_get_devpath(device);
    if (subsystem == NULL || node == NULL || path == NULL) return 0;
    int is_usb = strcmp(subsystem, "usb") == 0;
    if (is_usb && (type == NULL || strcmp(type, "usb_device") != 0)) return 0;
    struct udev_device *parent = udev_device_get_parent(device);
    if (strcmp(subsystem, "tty") == 0 && ((parent == NULL && !is_removed) || strstr(path, "/virtual/") != NULL)) return 0;

    struct udev_device *usb = is_usb ? device : udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device");
    struct udev_device *interface = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_interface");
    memset(target, 0, sizeof *target);
    copy(target->subsystem, sizeof target->subsystem, subsystem);
    copy(target->node, sizeof target->node, node);
    copy(target->path, sizeof target->path, path);
    copy(target->usb_path, sizeof target->usb_path, usb == NULL ? NULL : udev_device_get_devpath(usb));
    target->vendor = hexadecimal(text_of(device, usb, "idVendor", "ID_VENDOR_ID"));
    target->product = hexadecimal(text_of(device, usb, "idProduct", "ID_MODEL_ID"));
    copy(target->maker, sizeof target->maker, text_of(device, usb, "manufacturer", "ID_VENDOR"));
    copy(target->model, sizeof target->model, text_of(device, usb, "product", "ID_MODEL"));
    copy(target->serial, sizeof target->serial, text_of(device, usb, "serial", "ID_SERIAL_SHORT"));
    copy(target->interfaces, sizeof target->interfaces, udev_device_get_property_value(device, "ID_USB_INTERFACES"));
    if (interface != NULL)
        copy(target->interface, sizeof target->interface, udev_device_get_sysattr_value(interface, "bInterfaceNumber"));
    if (parent != NULL) copy(target->driver, sizeof target->driver, udev_device_get_driver(parent));

    /* A hidraw node without a USB device says what it is in HID_ID, "0005:00000801:00000002", HID_NAME and HID_UNIQ, the
       address of a Bluetooth device. */
    if (usb == NULL && strcmp(subsystem, "hidraw") == 0 && parent != NULL) {
        const char *identity = udev_device_get_property_value(parent, "HID_ID");
        if (identity != NULL && strlen(identity) == 22) {
            target->vendor = hexadecimal(identity + 9);
            target->product = hexadecimal(identity + 18);
        }
        copy(target->model, sizeof target->model, udev_device_get_property_value(parent, "HID_NAME"));
        copy(target->serial, sizeof target->serial, udev_device_get_property_value(parent, "HID_UNIQ"));
    }
    return 1;
}

static int open_source(struct cdio_monitor *monitor, enum source source) {
    struct udev_monitor *opened = udev_monitor_new_from_netlink(monitor->udev, source_names[source]);
    if (opened == NULL) return -ENOMEM;
    monitor->sources[source] = opened;
    int status = 0;
    for (size_t index = 0; index < SUBSYSTEM_COUNT && status >= 0; index++)
        status = udev_monitor_filter_add_match_subsystem_devtype(opened, subsystems[index], NULL);
    /* More than the default only for root; less just means that the devices are listed again more often. */
    (void)udev_monitor_set_receive_buffer_size(opened, RECEIVE_BUFFER);
    if (status >= 0) status = udev_monitor_enable_receiving(opened);
    if (status < 0) return status;
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, udev_monitor_get_fd(opened), &event) < 0 ? -errno : 0;
}

int cdio_monitor_open(struct cdio_monitor **result) {
    struct cdio_monitor *monitor = calloc(1, sizeof *monitor);
    if (monitor == NULL) return -ENOMEM;
    monitor->udev = udev_new();
    monitor->epoll = epoll_create1(EPOLL_CLOEXEC);
    int status = monitor->udev == NULL ? -ENOMEM : monitor->epoll < 0 ? -errno : 0;
    for (enum source source = KERNEL; source < SOURCE_COUNT && status >= 0; source++) status = open_source(monitor, source);
    if (status < 0) {
        cdio_monitor_close(monitor);
        return status;
    }
    *result = monitor;
    return 0;
}

void cdio_monitor_close(struct cdio_monitor *monitor) {
    if (monitor == NULL) return;
    for (enum source source = KERNEL; source < SOURCE_COUNT; source++)
        if (monitor->sources[source] != NULL) udev_monitor_unref(monitor->sources[source]);
    if (monitor->epoll >= 0) close(monitor->epoll);
    if (monitor->udev != NULL) udev_unref(monitor->udev);
    free(monitor);
}

int cdio_monitor_descriptor(const struct cdio_monitor *monitor) { return monitor->epoll; }

/* The next change of a source that matters: of the kernel's, removals only, since a node is not ready before udev's rules are done. */
static int next_of(struct cdio_monitor *monitor, enum source source, struct cdio_device *target) {
    for (;;) {
        errno = 0;
        struct udev_device *device = udev_monitor_receive_device(monitor->sources[source]);
        if (device == NULL) return errno == ENOBUFS ? -ENOBUFS : 0;
        const char *action = udev_device_get_action(device);
        uint32_t change = CDIO_PRESENT;
        if (source == UDEV && action != NULL && strcmp(action, "add") == 0) change = CDIO_ADDED;
        if (action != NULL && strcmp(action, "remove") == 0) change = CDIO_REMOVED;
        int matters = change != CDIO_PRESENT && describe(device, change == CDIO_REMOVED, target);
        target->sequence = udev_device_get_seqnum(device);
        udev_device_unref(device);
        if (!matters) continue;
        target->change = change;
        return 1;
    }
}

int cdio_monitor_next(struct cdio_monitor *monitor, struct cdio_device *target) {
    int status = next_of(monitor, KERNEL, target);
    return status == 0 ? next_of(monitor, UDEV, target) : status;
}

int cdio_list_devices(int (*visit)(const struct cdio_device *device, void *context), void *context) {
    struct udev *udev = udev_new();
    if (udev == NULL) return -ENOMEM;
    struct udev_enumerate *list = udev_enumerate_new(udev);
    int status = list == NULL ? -ENOMEM : 0;
    for (size_t index = 0; index < SUBSYSTEM_COUNT && status >= 0; index++)
        status = udev_enumerate_add_match_subsystem(list, subsystems[index]);
    if (status >= 0) status = udev_enumerate_scan_devices(list);
    if (status >= 0) {
        struct udev_list_entry *entry;
        status = 0;
        udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list)) {
            struct udev_device *device = udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry));
            if (device == NULL) continue;
            struct cdio_device found;
            if (describe(device, 0, &found)) status = visit(&found, context);
            udev_device_unref(device);
            if (status != 0) break;
        }
    }
    if (list != NULL) udev_enumerate_unref(list);
    udev_unref(udev);
    return status;
}
