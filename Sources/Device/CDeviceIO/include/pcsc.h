#ifndef CDEVICEIO_PCSC_H
#define CDEVICEIO_PCSC_H

#include <stddef.h>
#include <stdint.h>

/* The PC/SC service through libpcsclite, which is loaded at the first use and may be missing. Results are PC/SC's own: 0 or 8010xxxx. */

struct cdio_pcsc;

#define CDIO_PCSC_NO_LIBRARY 1u
#define CDIO_PCSC_LONGEST 65538u /* bytes of an answer */
#define CDIO_PCSC_ATR 33u

/* `library` is a name for dlopen(3). */
uint32_t cdio_pcsc_open(const char *library, struct cdio_pcsc **pcsc);
void cdio_pcsc_close(struct cdio_pcsc *pcsc);

/* The names, each with its zero, and one more zero at the end. */
uint32_t cdio_pcsc_readers(struct cdio_pcsc *pcsc, char *names, size_t capacity, size_t *length);

/* Waits until a reader is in another state than `state` (SCARD_STATE_*), which it then is, or `milliseconds` are over. */
uint32_t cdio_pcsc_wait(struct cdio_pcsc *pcsc, const char *reader, uint32_t milliseconds, uint32_t *state);

/* Ends a wait. From any thread. */
void cdio_pcsc_cancel(struct cdio_pcsc *pcsc);

/* Takes the card for this program alone; gives its protocol (1 for T=0, 2 for T=1) and its answer to reset. */
uint32_t cdio_pcsc_connect(struct cdio_pcsc *pcsc, const char *reader, uint32_t *protocol, uint8_t *atr, size_t *atr_length);

uint32_t cdio_pcsc_transmit(
    struct cdio_pcsc *pcsc, uint32_t protocol, const uint8_t *command, size_t length, uint8_t *answer, size_t capacity, size_t *answer_length);

/* Hands the reader a request of its driver (PC/SC part 5, SCardControl). */
uint32_t cdio_pcsc_control(
    struct cdio_pcsc *pcsc, uint32_t code, const uint8_t *request, size_t length, uint8_t *answer, size_t capacity, size_t *answer_length);

/* Switches the card off. */
uint32_t cdio_pcsc_disconnect(struct cdio_pcsc *pcsc);

#endif
