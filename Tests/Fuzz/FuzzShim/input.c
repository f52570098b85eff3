#include "system.h"

#include <string.h>

#define MOST_TEXTS 1024

static const uint8_t *next;
static size_t left;
static char *texts[MOST_TEXTS];
static size_t text_count;

void input_begin(const uint8_t *start, size_t count) {
    for (size_t index = 0; index < text_count; index++) free(texts[index]);
    text_count = 0;
    next = start;
    left = count;
}

int input_is_empty(void) { return left == 0; }

uint8_t input_byte(void) {
    if (left == 0) return 0;
    left--;
    return *next++;
}

uint32_t input_word(void) {
    uint32_t word = 0;
    for (int index = 0; index < 4; index++) word = word << 8 | input_byte();
    return word;
}

size_t input_bytes(uint8_t *buffer, size_t capacity) {
    size_t count = left < capacity ? left : capacity;
    if (count > 0) memcpy(buffer, next, count);
    next += count;
    left -= count;
    return count;
}

const char *input_text(void) {
    size_t length = input_byte();
    if (length == 255 || left == 0 || text_count == MOST_TEXTS) return NULL;
    if (length > left) length = left;
    /* As long as it is, so that a read behind its end is noticed. */
    char *text = malloc(length + 1);
    REQUIRE(text != NULL);
    (void)input_bytes((uint8_t *)text, length);
    text[length] = 0;
    texts[text_count++] = text;
    return text;
}
