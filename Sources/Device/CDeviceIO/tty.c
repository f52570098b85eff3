#include "tty.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/serial.h>
#include <sys/ioctl.h>

int cdio_tty_configure(int descriptor, const struct cdio_line *line) {
    struct termios2 settings;
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return -errno;
    settings.c_iflag = line->parity == CDIO_PARITY_NONE ? IGNBRK : IGNBRK | INPCK;
    settings.c_oflag = 0;
    settings.c_lflag = 0;
    settings.c_cflag = BOTHER | (BOTHER << IBSHIFT) | CS8 | CREAD | CLOCAL;
    if (line->parity != CDIO_PARITY_NONE) settings.c_cflag |= PARENB;
    if (line->parity == CDIO_PARITY_ODD) settings.c_cflag |= PARODD;
    if (line->stop == 2) settings.c_cflag |= CSTOPB;
    if (line->hang_up) settings.c_cflag |= HUPCL;
    settings.c_ispeed = line->rate;
    settings.c_ospeed = line->rate;
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    if (ioctl(descriptor, TCSETS2, &settings) < 0) return -errno;
    /* The driver reports the rate that it has set. A character of eleven bits stands an error of 3 %. */
    if (ioctl(descriptor, TCGETS2, &settings) < 0) return -errno;
    uint64_t requested = line->rate, actual = settings.c_ospeed;
    if (actual * 100 > requested * 103 || actual * 100 < requested * 97) return -ERANGE;

    /* USB adapters hold bytes back for some milliseconds otherwise; ptys and many drivers know no such setting. */
    struct serial_struct serial;
    if (ioctl(descriptor, TIOCGSERIAL, &serial) == 0) {
        serial.flags |= ASYNC_LOW_LATENCY;
        (void)ioctl(descriptor, TIOCSSERIAL, &serial);
    }
    return 0;
}

int cdio_tty_claim(int descriptor) {
    return ioctl(descriptor, TIOCEXCL) < 0 ? -errno : 0;
}

void cdio_tty_unclaim(int descriptor) {
    (void)ioctl(descriptor, TIOCNXCL);
}

static int modem_bits(uint32_t lines) {
    int bits = 0;
    if (lines & CDIO_LINE_DTR) bits |= TIOCM_DTR;
    if (lines & CDIO_LINE_RTS) bits |= TIOCM_RTS;
    return bits;
}

int cdio_tty_set_lines(int descriptor, uint32_t on, uint32_t off) {
    int set = modem_bits(on), clear = modem_bits(off);
    if (set != 0 && ioctl(descriptor, TIOCMBIS, &set) < 0) return -errno;
    if (clear != 0 && ioctl(descriptor, TIOCMBIC, &clear) < 0) return -errno;
    return 0;
}

int cdio_tty_lines(int descriptor, uint32_t *lines) {
    int bits = 0;
    if (ioctl(descriptor, TIOCMGET, &bits) < 0) return -errno;
    *lines = (bits & TIOCM_DTR ? CDIO_LINE_DTR : 0) | (bits & TIOCM_RTS ? CDIO_LINE_RTS : 0) | (bits & TIOCM_CTS ? CDIO_LINE_CTS : 0)
        | (bits & TIOCM_DSR ? CDIO_LINE_DSR : 0) | (bits & TIOCM_CAR ? CDIO_LINE_DCD : 0);
    return 0;
}

int cdio_tty_flush(int descriptor) {
    return ioctl(descriptor, TCFLSH, TCIOFLUSH) < 0 ? -errno : 0;
}

int cdio_tty_flush_output(int descriptor) {
    return ioctl(descriptor, TCFLSH, TCOFLUSH) < 0 ? -errno : 0;
}
