#include "hid.h"

#include <errno.h>
#include <linux/hidraw.h>
#include <string.h>
#include <sys/ioctl.h>

int cdio_hid_information(int descriptor, struct cdio_hid_information *information) {
    struct hidraw_devinfo raw;
    if (ioctl(descriptor, HIDIOCGRAWINFO, &raw) < 0) return -errno;
    information->bus = raw.bustype;
    information->vendor = (uint16_t)raw.vendor;
    information->product = (uint16_t)raw.product;
    return 0;
}

ssize_t cdio_hid_report_descriptor(int descriptor, uint8_t *buffer, size_t capacity) {
    int size = 0;
    if (ioctl(descriptor, HIDIOCGRDESCSIZE, &size) < 0) return -errno;
    struct hidraw_report_descriptor raw;
    if (size < 0 || (size_t)size > sizeof raw.value || (size_t)size > capacity) return -EMSGSIZE;
    memset(&raw, 0, sizeof raw);
    raw.size = (uint32_t)size;
    if (ioctl(descriptor, HIDIOCGRDESC, &raw) < 0) return -errno;
    memcpy(buffer, raw.value, (size_t)size);
    return size;
}

ssize_t cdio_hid_get_feature(int descriptor, uint8_t *buffer, size_t capacity) {
    if (capacity == 0 || capacity > 4096) return -EINVAL;
    int count = ioctl(descriptor, HIDIOCGFEATURE(capacity), buffer);
    return count < 0 ? -errno : count;
}

ssize_t cdio_hid_set_feature(int descriptor, const uint8_t *bytes, size_t count) {
    if (count == 0 || count > 4096) return -EINVAL;
    int sent = ioctl(descriptor, HIDIOCSFEATURE(count), bytes);
    return sent < 0 ? -errno : sent;
}
