// libcrypto, the only cryptographic provider of the package.
#ifndef CARDPRESENT_COPENSSL_H
#define CARDPRESENT_COPENSSL_H

// DES and SHA-1 without memory asked for have only their low-level interface, which OpenSSL 3.0 calls deprecated and keeps.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/cmac.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/des.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#endif
