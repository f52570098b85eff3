#define OPENSSL_SUPPRESS_DEPRECATED
#include "ciphers.h"

#include <openssl/des.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static void des_cbc(const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    DES_key_schedule schedule;
    DES_cblock chain;
    memcpy(chain, iv, 8);
    DES_set_key_unchecked((const_DES_cblock *)key, &schedule);
    DES_ncbc_encrypt(input, output, (long)count, &schedule, &chain, DES_ENCRYPT);
}

static void tdes_cbc(int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    DES_key_schedule first, second;
    DES_cblock chain;
    memcpy(chain, iv, 8);
    DES_set_key_unchecked((const_DES_cblock *)key, &first);
    DES_set_key_unchecked((const_DES_cblock *)(key + 8), &second);
    DES_ede3_cbc_encrypt(input, output, (long)count, &first, &second, &first, &chain, encrypt);
}

static EVP_CIPHER_CTX *kept(const char *name) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context || !EVP_CipherInit_ex2(context, EVP_CIPHER_fetch(NULL, name, NULL), NULL, NULL, 1, NULL)) abort();
    return context;
}

static void aes_cbc(
    int encrypt, const uint8_t *key, size_t key_count, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    static EVP_CIPHER_CTX *contexts[2];
    EVP_CIPHER_CTX **context = &contexts[key_count == 32];
    if (!*context) *context = kept(key_count == 16 ? "AES-128-CBC" : "AES-256-CBC");
    if (!EVP_CipherInit_ex2(*context, NULL, key, iv, encrypt, NULL) || EVP_Cipher(*context, output, input, (unsigned)count) <= 0) abort();
}

const reference_ciphers *reference_best_ciphers(void) {
    static const reference_ciphers ciphers = {des_cbc, tdes_cbc, aes_cbc};
    return &ciphers;
}
