#include "pcsc.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The types of libpcsclite on Linux (PC/SC part 5 with its numbers as long as a pointer). */
struct reader_state {
    const char *name;
    void *user;
    unsigned long current, event, atr_length;
    unsigned char atr[CDIO_PCSC_ATR];
};

struct request {
    unsigned long protocol, length;
};

enum { SCOPE_SYSTEM = 2, SHARE_EXCLUSIVE = 1, PROTOCOL_ANY = 3, UNPOWER_CARD = 2 };

#define NO_SMARTCARD 0x8010000Cu
#define NO_MEMORY 0x80100006u
#define INSUFFICIENT_BUFFER 0x80100008u

struct cdio_pcsc {
    void *library;
    long context, card;
    int has_card;
    long (*establish)(unsigned long, const void *, const void *, long *);
    long (*release)(long);
    long (*list)(long, const char *, char *, unsigned long *);
    long (*change)(long, unsigned long, struct reader_state *, unsigned long);
    long (*cancel)(long);
    long (*connect)(long, const char *, unsigned long, unsigned long, long *, unsigned long *);
    long (*status)(long, char *, unsigned long *, unsigned long *, unsigned long *, unsigned char *, unsigned long *);
    long (*transmit)(
        long, const struct request *, const unsigned char *, unsigned long, struct request *, unsigned char *, unsigned long *);
    long (*control)(long, unsigned long, const void *, unsigned long, void *, unsigned long, unsigned long *);
    long (*disconnect)(long, unsigned long);
};

static int resolve(struct cdio_pcsc *pcsc) {
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"SCardEstablishContext", &pcsc->establish}, {"SCardReleaseContext", &pcsc->release}, {"SCardListReaders", &pcsc->list},
        {"SCardGetStatusChange", &pcsc->change},     {"SCardCancel", &pcsc->cancel},          {"SCardConnect", &pcsc->connect},
        {"SCardStatus", &pcsc->status},              {"SCardTransmit", &pcsc->transmit},      {"SCardDisconnect", &pcsc->disconnect},
        {"SCardControl", &pcsc->control},
    };
    for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index++) {
        void *found = dlsym(pcsc->library, functions[index].name);
        if (found == NULL) return 0;
        memcpy(functions[index].place, &found, sizeof found);
    }
    return 1;
}

uint32_t cdio_pcsc_open(const char *library, struct cdio_pcsc **result) {
    struct cdio_pcsc *pcsc = calloc(1, sizeof *pcsc);
    if (pcsc == NULL) return NO_MEMORY;
    pcsc->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    uint32_t status = CDIO_PCSC_NO_LIBRARY;
    if (pcsc->library != NULL && resolve(pcsc)) status = (uint32_t)pcsc->establish(SCOPE_SYSTEM, NULL, NULL, &pcsc->context);
    if (status == 0) {
        *result = pcsc;
        return 0;
    }
    if (pcsc->library != NULL) dlclose(pcsc->library);
    free(pcsc);
    return status;
}

void cdio_pcsc_close(struct cdio_pcsc *pcsc) {
    if (pcsc == NULL) return;
    (void)cdio_pcsc_disconnect(pcsc);
    (void)pcsc->release(pcsc->context);
    dlclose(pcsc->library);
    free(pcsc);
}

uint32_t cdio_pcsc_readers(struct cdio_pcsc *pcsc, char *names, size_t capacity, size_t *length) {
    unsigned long count = capacity;
    uint32_t status = (uint32_t)pcsc->list(pcsc->context, NULL, names, &count);
    *length = status == 0 && count <= capacity ? count : 0;
    return status;
}

uint32_t cdio_pcsc_wait(struct cdio_pcsc *pcsc, const char *reader, uint32_t milliseconds, uint32_t *state) {
    struct reader_state entry = {.name = reader, .current = *state};
    uint32_t status = (uint32_t)pcsc->change(pcsc->context, milliseconds, &entry, 1);
    if (status == 0) *state = (uint32_t)entry.event;
    return status;
}

void cdio_pcsc_cancel(struct cdio_pcsc *pcsc) {
    (void)pcsc->cancel(pcsc->context);
}

uint32_t cdio_pcsc_connect(struct cdio_pcsc *pcsc, const char *reader, uint32_t *protocol, uint8_t *atr, size_t *atr_length) {
    (void)cdio_pcsc_disconnect(pcsc);
    unsigned long active = 0;
    uint32_t status = (uint32_t)pcsc->connect(pcsc->context, reader, SHARE_EXCLUSIVE, PROTOCOL_ANY, &pcsc->card, &active);
    if (status != 0) return status;
    pcsc->has_card = 1;
    *protocol = (uint32_t)active;
    char name[256];
    unsigned long name_length = sizeof name, state = 0, count = CDIO_PCSC_ATR;
    status = (uint32_t)pcsc->status(pcsc->card, name, &name_length, &state, &active, atr, &count);
    if (status == 0 && count > CDIO_PCSC_ATR) status = INSUFFICIENT_BUFFER;
    if (status != 0) (void)cdio_pcsc_disconnect(pcsc);
    *atr_length = status == 0 ? count : 0;
    return status;
}

uint32_t cdio_pcsc_transmit(
    struct cdio_pcsc *pcsc, uint32_t protocol, const uint8_t *command, size_t length, uint8_t *answer, size_t capacity, size_t *answer_length) {
    *answer_length = 0;
    if (!pcsc->has_card) return NO_SMARTCARD;
    const struct request request = {protocol, sizeof request};
    unsigned long count = capacity;
    uint32_t status = (uint32_t)pcsc->transmit(pcsc->card, &request, command, length, NULL, answer, &count);
    if (status == 0 && count > capacity) status = INSUFFICIENT_BUFFER;
    if (status == 0) *answer_length = count;
    return status;
}

uint32_t cdio_pcsc_control(
    struct cdio_pcsc *pcsc, uint32_t code, const uint8_t *request, size_t length, uint8_t *answer, size_t capacity, size_t *answer_length) {
    *answer_length = 0;
    if (!pcsc->has_card) return NO_SMARTCARD;
    unsigned long count = 0;
    uint32_t status = (uint32_t)pcsc->control(pcsc->card, code, request, length, answer, capacity, &count);
    if (status == 0 && count > capacity) status = INSUFFICIENT_BUFFER;
    if (status == 0) *answer_length = count;
    return status;
}

uint32_t cdio_pcsc_disconnect(struct cdio_pcsc *pcsc) {
    if (!pcsc->has_card) return 0;
    pcsc->has_card = 0;
    return (uint32_t)pcsc->disconnect(pcsc->card, UNPOWER_CARD);
}
