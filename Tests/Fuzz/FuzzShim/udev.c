/* libudev: a device says what the input has next, each time that it is asked. */
#include "system.h"

#include <errno.h>
#include <libudev.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* One of each is enough: nobody looks into them. */
struct udev {
    int is_there;
};
struct udev_device {
    int is_there;
};
struct udev_enumerate {
    int is_there;
};
struct udev_list_entry {
    int is_there;
};
struct udev_monitor {
    int descriptor;
};

static struct udev udev;
static struct udev_device device, relative;
static struct udev_enumerate enumerate;
static struct udev_list_entry entry;

struct udev *udev_new(void) { return &udev; }
struct udev *udev_unref(struct udev *unused) { return (void)unused, NULL; }

struct udev_monitor *udev_monitor_new_from_netlink(struct udev *unused, const char *name) {
    (void)unused, (void)name;
    struct udev_monitor *monitor = calloc(1, sizeof *monitor);
    monitor->descriptor = eventfd(0, EFD_CLOEXEC);
    return monitor;
}

struct udev_monitor *udev_monitor_unref(struct udev_monitor *monitor) {
    close(monitor->descriptor);
    free(monitor);
    return NULL;
}

int udev_monitor_filter_add_match_subsystem_devtype(struct udev_monitor *monitor, const char *subsystem, const char *type) {
    return (void)monitor, (void)subsystem, (void)type, 0;
}

int udev_monitor_set_receive_buffer_size(struct udev_monitor *monitor, int size) { return (void)monitor, (void)size, -EPERM; }
int udev_monitor_enable_receiving(struct udev_monitor *monitor) { return (void)monitor, 0; }
int udev_monitor_get_fd(struct udev_monitor *monitor) { return monitor->descriptor; }

struct udev_device *udev_monitor_receive_device(struct udev_monitor *monitor) {
    (void)monitor;
    uint8_t kind = input_byte();
    if (kind == 0xFF) errno = ENOBUFS;
    return kind == 0 || kind == 0xFF || input_is_empty() ? NULL : &device;
}

const char *udev_device_get_action(struct udev_device *of) {
    static const char *const actions[] = {"add", "remove", "change", NULL};
    (void)of;
    return actions[input_byte() % 4];
}

unsigned long long udev_device_get_seqnum(struct udev_device *of) { return (void)of, input_word(); }
struct udev_device *udev_device_unref(struct udev_device *of) { return (void)of, NULL; }

/* One that is known, or a text. */
static const char *one_of(const char *first, const char *second, const char *third) {
    switch (input_byte() % 4) {
    case 0: return first;
    case 1: return second;
    case 2: return third;
    default: return input_text();
    }
}

const char *udev_device_get_subsystem(struct udev_device *of) { return (void)of, one_of("usb", "hidraw", "tty"); }
const char *udev_device_get_devtype(struct udev_device *of) { return (void)of, one_of("usb_device", "usb_interface", NULL); }
const char *udev_device_get_devnode(struct udev_device *of) { return (void)of, input_text(); }
const char *udev_device_get_devpath(struct udev_device *of) { return (void)of, input_text(); }
const char *udev_device_get_driver(struct udev_device *of) { return (void)of, input_text(); }
const char *udev_device_get_sysattr_value(struct udev_device *of, const char *name) { return (void)of, (void)name, input_text(); }
const char *udev_device_get_property_value(struct udev_device *of, const char *name) { return (void)of, (void)name, input_text(); }

static struct udev_device *relative_or_none(void) { return input_byte() & 1 ? &relative : NULL; }
struct udev_device *udev_device_get_parent(struct udev_device *of) { return (void)of, relative_or_none(); }

struct udev_device *udev_device_get_parent_with_subsystem_devtype(struct udev_device *of, const char *subsystem, const char *type) {
    return (void)of, (void)subsystem, (void)type, relative_or_none();
}

struct udev_enumerate *udev_enumerate_new(struct udev *of) { return (void)of, &enumerate; }
struct udev_enumerate *udev_enumerate_unref(struct udev_enumerate *of) { return (void)of, NULL; }
int udev_enumerate_add_match_subsystem(struct udev_enumerate *of, const char *subsystem) { return (void)of, (void)subsystem, 0; }
int udev_enumerate_scan_devices(struct udev_enumerate *of) { return (void)of, 0; }

struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *of) { return (void)of, input_is_empty() ? NULL : &entry; }
struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *of) { return (void)of, input_is_empty() ? NULL : &entry; }
const char *udev_list_entry_get_name(struct udev_list_entry *of) { return (void)of, "/sys/devices"; }

struct udev_device *udev_device_new_from_syspath(struct udev *of, const char *path) {
    return (void)of, (void)path, input_byte() == 0 ? NULL : &device;
}
