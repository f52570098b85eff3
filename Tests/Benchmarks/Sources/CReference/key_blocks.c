#include "protocols.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { header_count = 16, key_count = 16 };

/// What tells version B from version D.
typedef struct {
    int aes;
    size_t block_count;
    size_t payload_count;
    size_t block_length;
} layout;

static layout layout_of(char version) {
    return version == 'D' ? (layout){1, 16, 48, 16 + 2 * 48 + 2 * 16} : (layout){0, 8, 32, 16 + 2 * 32 + 2 * 8};
}

static void authenticate(
    const reference_ciphers *ciphers, const layout *form, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *mac) {
    if (form->aes) reference_aes_cmac(ciphers, key, 16, message, count, mac);
    else reference_tdes_cmac(ciphers, key, message, count, mac);
}

/// 16 bytes for encryption (usage 0) or authentication (1): TR-31:2018, tables 1 to 3.
static void derive(const reference_ciphers *ciphers, const layout *form, const uint8_t *protection_key, uint8_t usage, uint8_t *derived) {
    for (size_t block = 0; block < 16 / form->block_count; block++) {
        uint8_t data[8] = {(uint8_t)(block + 1), 0, usage, 0, 0, form->aes ? 2 : 0, 0, 128};
        authenticate(ciphers, form, protection_key, data, 8, derived + block * form->block_count);
    }
}

static void encipher(
    const reference_ciphers *ciphers, const layout *form, int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *input,
    uint8_t *output) {
    if (form->aes) ciphers->aes_cbc(encrypt, key, 16, iv, input, form->payload_count, output);
    else ciphers->tdes_cbc(encrypt, key, iv, input, form->payload_count, output);
}

static void put_hex(char *text, const uint8_t *bytes, size_t count) {
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < count; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = 0;
}

static int value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

static int get_hex(const char *text, size_t count, uint8_t *bytes) {
    for (size_t i = 0; i < count; i++) {
        int high = value(text[2 * i]), low = value(text[2 * i + 1]);
        if (high < 0 || low < 0) return 0;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return 1;
}

void reference_wrap(const reference_ciphers *ciphers, char version, const uint8_t *protection_key, const uint8_t *key, char *block) {
    layout form = layout_of(version);
    uint8_t message[header_count + 48] = {0}, encryption[16], authentication[16], ciphertext[48], mac[16];
    derive(ciphers, &form, protection_key, 0, encryption);
    derive(ciphers, &form, protection_key, 1, authentication);
    snprintf(block, header_count + 1, "%c%04zuP0%cE00E0000", version, form.block_length, form.aes ? 'A' : 'T');
    memcpy(message, block, header_count);
    message[header_count + 1] = 8 * key_count;
    memcpy(message + header_count + 2, key, key_count);
    if (RAND_bytes(message + header_count + 2 + key_count, (int)form.payload_count - 2 - key_count) != 1) abort();
    authenticate(ciphers, &form, authentication, message, header_count + form.payload_count, mac);
    encipher(ciphers, &form, 1, encryption, mac, message + header_count, ciphertext);
    put_hex(block + header_count, ciphertext, form.payload_count);
    put_hex(block + header_count + 2 * form.payload_count, mac, form.block_count);
    OPENSSL_cleanse(message, sizeof message);
}

int reference_unwrap(const reference_ciphers *ciphers, const uint8_t *protection_key, const char *block, uint8_t *key) {
    layout form = layout_of(block[0]);
    uint8_t message[header_count + 48], encryption[16], authentication[16], ciphertext[48], mac[16], expected[16];
    if (strlen(block) != form.block_length || !get_hex(block + header_count, form.payload_count, ciphertext)
        || !get_hex(block + header_count + 2 * form.payload_count, form.block_count, mac))
        return 0;
    derive(ciphers, &form, protection_key, 0, encryption);
    derive(ciphers, &form, protection_key, 1, authentication);
    memcpy(message, block, header_count);
    encipher(ciphers, &form, 0, encryption, mac, ciphertext, message + header_count);
    authenticate(ciphers, &form, authentication, message, header_count + form.payload_count, expected);
    int whole = CRYPTO_memcmp(mac, expected, form.block_count) == 0;
    if (whole) memcpy(key, message + header_count + 2, key_count);
    OPENSSL_cleanse(message, sizeof message);
    return whole;
}
