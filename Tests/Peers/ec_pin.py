"""A second implementation of the offline data encipherment of EMV 4.4 Book 2, 13.2, 13.3 and A2.3, for the tests.

Curve arithmetic is python's own, AES and CMAC are openssl's.
"""

import pathlib, subprocess, sys

sys.dont_write_bytecode = True
# Behind the library's own modules.
sys.path.append(str(pathlib.Path(__file__).parent))
from curves import P256, P521, lift, multiply

SUITES = {'00': P256, '01': P521}

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
field, p, b, base, order = SUITES[suite]
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
