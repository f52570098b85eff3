import Bytes
import CardCryptography
import SmartCard
import TLV

/// Commands of an issuer for one transaction of the Visa-style card, protected step by step out of
/// DES alone: the keys of EMV 4.4 Book 2, A1.4.1, the counter by exclusive or, a MAC of 8 bytes
/// over CLA INS P1 P2 Lc ‖ ATC ‖ cryptogram ‖ data. It shares no code with the card.
struct BookScript {
    let counter: [UInt8]
    let cryptogram: [UInt8]

    private static let integrity: [UInt8] = [
        0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,
    ]
    private static let confidentiality: [UInt8] = [
        0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x76, 0x54, 0x32, 0x10, 0xFE, 0xDC, 0xBA, 0x98,
    ]
    private static let applicationCryptogram: [UInt8] = [
        0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
    ]

    /// What the first GENERATE AC answered, format 2.
    init(_ response: ResponseAPDU) throws {
        let elements = try DataElements(parsing: response.data)
        counter = elements[.applicationTransactionCounter] ?? []
        cryptogram = elements[.applicationCryptogram] ?? []
    }

    func command(_ header: [UInt8], _ data: [UInt8] = []) throws -> CommandAPDU {
        let message = header + [UInt8(data.count + 8)] + counter + cryptogram + data
        return CommandAPDU(
            cla: header[0], ins: header[1], p1: header[2], p2: header[3],
            data: data + (try mac(message, key: sessionKey(Self.integrity))))
    }

    /// PIN CHANGE/UNBLOCK with a PIN of four digits, P2 02: length, PIN, fill, combined with bytes
    /// 5 to 8 of the card's key for cryptograms.
    func pinChange(_ digits: [UInt8], qualifier: UInt8 = 0x02) throws -> CommandAPDU {
        let key = try cardKey(Self.applicationCryptogram)
        let block = [0x04] + digits + [0xFF, key[4] ^ 0xFF, key[5] ^ 0xFF, key[6] ^ 0xFF, key[7] ^ 0xFF]
        let plain = [0x08] + block + [0x80, 0, 0, 0, 0, 0, 0]
        return try command(
            [0x84, 0x24, 0x00, qualifier], TDESKey(SecretBytes(sessionKey(Self.confidentiality))).encryptECB(plain))
    }

    private func cardKey(_ issuerKey: [UInt8]) throws -> [UInt8] {
        let y: [UInt8] = [0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0x01]
        let key = try TDESKey(SecretBytes(issuerKey)).encryptECB(y + y.map { $0 ^ 0xFF })
        return key.map { $0 & 0xFE | ($0 & 0xFE).nonzeroBitCount.isMultiple(of: 2).byte }
    }

    private func sessionKey(_ issuerKey: [UInt8]) throws -> [UInt8] {
        var key = try cardKey(issuerKey)
        for index in 0...1 {
            key[6 + index] ^= counter[index]
            key[14 + index] ^= counter[index] ^ 0xFF
        }
        return key
    }

    /// ISO/IEC 9797-1 algorithm 3, padding method 2.
    private func mac(_ data: [UInt8], key: [UInt8]) throws -> [UInt8] {
        var padded = data + [0x80]
        while padded.count % 8 != 0 { padded.append(0) }
        let left = try TDESKey(SecretBytes(key[..<8]))
        let right = try TDESKey(SecretBytes(key[8...]))
        var chain = [UInt8](repeating: 0, count: 8)
        for start in stride(from: 0, to: padded.count, by: 8) {
            chain = try left.encryptECB(zip(chain, padded[start..<start + 8]).map { $0 ^ $1 })
        }
        return try left.encryptECB(right.decryptECB(chain))
    }
}

extension Bool {
    fileprivate var byte: UInt8 { self ? 1 : 0 }
}
