#ifndef CARDPRESENT_CIPHERS_H
#define CARDPRESENT_CIPHERS_H

#include <stddef.h>
#include <stdint.h>

/// What the references need of a block cipher; keys of 8 bytes are single DES, of 16 bytes triple DES with two keys, and of 16 or 32 bytes AES.
/// Lengths are whole blocks.
typedef struct {
    void (*des_cbc)(const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output);
    void (*tdes_cbc)(int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output);
    void (*aes_cbc)(
        int encrypt, const uint8_t *key, size_t key_count, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output);
} reference_ciphers;

/// What a C programmer writes first: libcrypto's EVP interface, a context for each operation, single DES as triple DES of one key (the default provider has no
/// other).
const reference_ciphers *reference_plain_ciphers(void);

/// The most that libcrypto gives: contexts kept for the whole process and given another key, DES by its low-level interface, single DES as single DES.
const reference_ciphers *reference_best_ciphers(void);

#endif
