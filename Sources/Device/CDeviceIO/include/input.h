#ifndef CDEVICEIO_INPUT_H
#define CDEVICEIO_INPUT_H

#include <stdint.h>

/* Keyboards, through evdev. */

struct cdio_key {
    uint16_t code;    /* KEY_… of linux/input-event-codes.h */
    uint8_t state;    /* 0 let go, 1 pressed, 2 repeated */
    uint8_t is_lost;  /* events were lost before this point; code and state mean nothing */
};

/* Keys go to this descriptor only until it is closed: 0, or -EBUSY if another program has them. */
int cdio_input_grab(int descriptor);

/* Others have the keys again, also where a copy of the descriptor stays open. */
void cdio_input_ungrab(int descriptor);

/* The next key. */
int cdio_input_next(int descriptor, struct cdio_key *key, int cancel, int64_t deadline);

#endif
