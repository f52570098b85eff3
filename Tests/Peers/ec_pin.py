"""A second implementation of the offline data encipherment of EMV 4.4 Book 2, 13.2, 13.3 and A2.3, for the tests.

Curve arithmetic is python's own, AES and CMAC are openssl's.
"""

import subprocess, sys

CURVES = {
    '00': (32, 2**256 - 2**224 + 2**192 + 2**96 - 1, 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
           (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296, 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)),
    '01': (66, 2**521 - 1, 0x51953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
           (0xC6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
            0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650)),
}

def add(one, other, p):
    if one is None: return other
    if other is None: return one
    if one[0] == other[0]:
        if (one[1] + other[1]) % p == 0: return None
        slope = (3 * one[0]**2 - 3) * pow(2 * one[1], -1, p)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, p)
    x = (slope**2 - one[0] - other[0]) % p
    return x, (slope * (one[0] - x) - one[1]) % p

def multiply(scalar, point, p):
    result = None
    for bit in bin(scalar)[2:]:
        result = add(result, result, p)
        if bit == '1': result = add(result, point, p)
    return result

def lift(x, p, b):
    y = pow(x**3 - 3 * x + b, (p + 1) // 4, p)
    return x, min(y, p - y)

def run(arguments, data):
    return subprocess.run(['openssl'] + arguments, input=data, stdout=subprocess.PIPE, check=True).stdout

def aes(key, block): return run(['enc', '-aes-128-ecb', '-nopad', '-K', key.hex()], block)
def cmac(key, data):
    return bytes.fromhex(run(['mac', '-cipher', 'AES-128-CBC', '-macopt', 'hexkey:' + key.hex(), '-in', '-', 'CMAC'], data).decode().strip())

def keys(z, count, un):
    kdk = cmac(bytes(16), z.to_bytes(32 if count == 32 else 80, 'big'))
    return [aes(kdk, bytes([i, 1, 0]) + un + bytes.fromhex('A5A5A50200')) for i in (1, 2)]

def stream(key, counter, data):
    out = b''
    for i in range(0, len(data), 16):
        pad = aes(key, ((counter << 112) + i // 16).to_bytes(16, 'big'))
        out += bytes(a ^ b for a, b in zip(data[i:i + 16], pad))
    return out

def mac(key, counter, data): return cmac(key, bytes(8) + (counter << 112).to_bytes(16, 'big') + data)[:8]

operation, suite, scalar, first_un, counter = sys.argv[1], sys.argv[2], int(sys.argv[3], 16), bytes.fromhex(sys.argv[4]), int(sys.argv[5])
field, p, b, base = CURVES[suite]
given = bytes.fromhex(sys.argv[6])
if operation == 'open':      # the card's side: scalar is the card's, given is the data of VERIFY
    z = multiply(scalar, lift(int.from_bytes(given[:field], 'big'), p, b), p)[0]
    k1, k2 = keys(z, field, first_un)
    body, code = given[field:-8], given[-8:]
    assert mac(k2, counter, body) == code, 'MAC'
    print(stream(k1, counter, body).hex().upper())
else:                        # the terminal's side: scalar is the terminal's, given is the card's key, then the message
    z = multiply(scalar, lift(int.from_bytes(given, 'big'), p, b), p)[0]
    k1, k2 = keys(z, field, first_un)
    body = stream(k1, counter, bytes.fromhex(sys.argv[7]))
    print((multiply(scalar, base, p)[0].to_bytes(field, 'big') + body + mac(k2, counter, body)).hex().upper())
