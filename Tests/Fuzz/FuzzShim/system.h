#ifndef CARDPRESENT_FUZZ_SYSTEM_H
#define CARDPRESENT_FUZZ_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The system below the shim: libudev, libusb, PC/SC and ioctl, which answer with what is left of the fuzzer's input. */

#define REQUIRE(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* Begins a new input; what was given out of the last one is freed. */
void input_begin(const uint8_t *start, size_t count);
int input_is_empty(void);

/* Zero when the input is at its end. */
uint8_t input_byte(void);
uint32_t input_word(void);

/* At most `capacity` bytes; gives how many. */
size_t input_bytes(uint8_t *buffer, size_t capacity);

/* A length, then so many bytes, and a zero behind them: of the input's lifetime. NULL for a length of 255 and at the end. */
const char *input_text(void);

/* Whether the transfers of this input that libusb has were given back. */
int usb_is_at_rest(void);

#endif
