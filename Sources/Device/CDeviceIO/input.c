#define _DEFAULT_SOURCE
#include "input.h"

#include "event.h"

#include <errno.h>
#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>

int cdio_input_grab(int descriptor) {
    return ioctl(descriptor, EVIOCGRAB, 1) < 0 ? -errno : 0;
}

void cdio_input_ungrab(int descriptor) {
    (void)ioctl(descriptor, EVIOCGRAB, 0);
}

int cdio_input_next(int descriptor, struct cdio_key *key, int cancel, int64_t deadline) {
    for (;;) {
        struct input_event event;
        ssize_t count = cdio_read(descriptor, (uint8_t *)&event, sizeof event, cancel, deadline);
        if (count < 0) return (int)count;
        if (count == 0) return -ENODEV;
        if ((size_t)count < sizeof event) return -EPROTO;
        int is_lost = event.type == EV_SYN && event.code == SYN_DROPPED;
        if (event.type != EV_KEY && !is_lost) continue;
        *key = (struct cdio_key){.code = event.code, .state = (uint8_t)(event.value & 0x03), .is_lost = is_lost ? 1 : 0};
        /* A stripe reader types the digits of a card. */
        explicit_bzero(&event, sizeof event);
        return 0;
    }
}
