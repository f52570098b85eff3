"""DS digest H of Mastercard's integrated data storage (EMV Contactless Book C-2, 8.2 and 8.3), computed with openssl.

Written from a description of the two functions, apart from the library, and with another library's ciphers.

usage: owhf2.py SEED COUNT: lines of version, identifier, operator, input and digest in hexadecimal digits.
"""
import random
import subprocess
import sys


def openssl(cipher, key, block):
    command = ["openssl", "enc", "-" + cipher, "-K", key.hex(), "-nopad"]
    return subprocess.run(command, input=block, capture_output=True, check=True).stdout


def owhf2(identifier, operator, value):
    """The number that a byte's two digits write, doubled; two bytes of the operator behind six of these."""
    doubled = [int(f"{byte:02x}") * 2 for byte in identifier]
    left = bytes(doubled[:6]) + operator[4:6]
    right = bytes(doubled[-6:]) + operator[6:8]
    mixed = int.from_bytes(operator, "big") ^ int.from_bytes(value, "big")
    result = openssl("des-ede3", left + right + left, mixed.to_bytes(8, "big"))
    return (int.from_bytes(result, "big") ^ int.from_bytes(value, "big")).to_bytes(8, "big")


def owhf2_aes(identifier, operator, value):
    key = identifier.rjust(11, b"\0") + operator[4:8] + b"\x3F"
    result = openssl("aes-128-ecb", key, value + operator)
    return bytes(a ^ b for a, b in zip(result[:8], value))


def main():
    rng = random.Random(int(sys.argv[1]))
    for position in range(int(sys.argv[2])):
        digits = "".join(rng.choice("0123456789") for _ in range(2 * rng.randrange(8, 12)))
        identifier, operator, value = bytes.fromhex(digits), rng.randbytes(8), rng.randbytes(8)
        version = position % 2 + 1
        digest = (owhf2 if version == 1 else owhf2_aes)(identifier, operator, value)
        print(version, digits, operator.hex(), value.hex(), digest.hex())


if __name__ == "__main__":
    main()
