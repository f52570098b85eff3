#ifndef CDEVICEIO_TTY_H
#define CDEVICEIO_TTY_H

#include <stdint.h>

enum cdio_parity { CDIO_PARITY_NONE = 0, CDIO_PARITY_EVEN = 1, CDIO_PARITY_ODD = 2 };

struct cdio_line {
    uint32_t rate;    /* bits per second, any that the driver can do within 3 % */
    uint8_t parity;   /* enum cdio_parity */
    uint8_t stop;     /* stop bits, 1 or 2 */
    uint8_t hang_up;  /* whether closing drops DTR, which resets some readers */
};

/* Modem lines, as bits. */
#define CDIO_LINE_DTR 0x01u
#define CDIO_LINE_RTS 0x02u
#define CDIO_LINE_CTS 0x04u
#define CDIO_LINE_DSR 0x08u
#define CDIO_LINE_DCD 0x10u

/* Raw mode with eight data bits and no flow control. Where the driver has the setting, it passes bytes on without delay. -ERANGE if the driver cannot do the rate,
   and has set another. */
int cdio_tty_configure(int descriptor, const struct cdio_line *line);

/* No other process can open the tty until it is closed (root excepted). */
int cdio_tty_claim(int descriptor);

/* Others can open it again, also where a copy of the descriptor stays open. */
void cdio_tty_unclaim(int descriptor);

int cdio_tty_set_lines(int descriptor, uint32_t on, uint32_t off);
int cdio_tty_lines(int descriptor, uint32_t *lines);

/* Throws away what was received and not read, and what was written and not sent. */
int cdio_tty_flush(int descriptor);

/* Only what was not sent: closing would wait for it, up to half a minute. */
int cdio_tty_flush_output(int descriptor);

#endif
