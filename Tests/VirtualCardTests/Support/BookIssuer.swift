import Bytes
import CardCryptography
import EMVKernel
import TLV
import VirtualCard

/// An issuer that checks an ARQC and makes an ARPC out of ciphers and hashes alone, step by step as
/// the books have it, and shares no derivation with the card.
actor BookIssuer: OnlineAuthorizer {
    enum Answer {
        case approve
        case decline
        case approveWithWrongCryptogram
        case approveWithoutCryptogram
    }

    private let answer: Answer
    private let scheme: Scheme
    /// Whether each ARQC that came was right.
    private(set) var cryptograms: [Bool] = []

    /// What EMV leaves open (EMV 4.4 Book 2, 8): the part of tag 9F10 in the cryptogram's input,
    /// and the ARPC's method.
    enum Scheme {
        /// Whole tag 9F10; ARPC method 2 under the session key.
        case visa18
        /// Bytes 3 to 8 of tag 9F10; ARPC method 1 under the session key.
        case mastercard14
    }

    init(_ answer: Answer, scheme: Scheme = .visa18) {
        self.answer = answer
        self.scheme = scheme
    }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        let data = request.data.merged
        guard let key = try? sessionKey(data), let expected = try? cryptogram(data, key: key),
            let arqc = data[.applicationCryptogram]
        else {
            cryptograms.append(false)
            return .unableToGoOnline
        }
        cryptograms.append(expected == arqc)
        let responseCode = Array((answer == .decline ? "05" : "00").utf8)
        var response = IssuerResponse(
            responseCode: responseCode, authenticationData: try? authenticationData(arqc, responseCode, key))
        switch answer {
        case .approve, .decline: break
        case .approveWithWrongCryptogram: response.authenticationData?[0] ^= 0x01
        case .approveWithoutCryptogram: response.authenticationData = nil
        }
        return .answered(response)
    }

    /// The cryptogram over the transaction's data as they are now (EMV 4.4 Book 2, 8.1.1, table 28,
    /// and A1.2.1).
    nonisolated func cryptogram(_ data: DataElements, key: [UInt8]) throws -> [UInt8] {
        var input: [UInt8] = []
        for tag: Tag in [0x9F02, 0x9F03, 0x9F1A, 0x95, 0x5F2A, 0x9A, 0x9C, 0x9F37, 0x82, 0x9F36] {
            input += data[tag] ?? []
        }
        let iad = data[0x9F10] ?? []
        input += scheme == .visa18 ? iad : Array(iad[2..<8])
        return try mac(input, key: key)
    }

    /// EMV 4.4 Book 2, A1.4.1 and A1.3.1: the card's key from PAN and sequence number, the session
    /// key from the ATC.
    nonisolated func sessionKey(_ data: DataElements) throws -> [UInt8] {
        let pan = (data[0x5A] ?? []).hex.filter { $0 != "F" }
        let y = try [UInt8](hex: String((pan + (data[0x5F34] ?? [0]).hex).suffix(16)))
        let issuerKey: [UInt8] = [
            0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
        ]
        let master = try tdes(y, key: issuerKey) + tdes(y.map { $0 ^ 0xFF }, key: issuerKey)
        let counter = data[0x9F36] ?? []
        return try tdes(counter + [0xF0, 0, 0, 0, 0, 0], key: master)
            + tdes(counter + [0x0F, 0, 0, 0, 0, 0], key: master)
    }

    /// EMV 4.4 Book 2, 8.2.1 and 8.2.2.
    private func authenticationData(_ arqc: [UInt8], _ responseCode: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        switch scheme {
        case .mastercard14:
            let x = zip(arqc, responseCode + [0, 0, 0, 0, 0, 0]).map { $0 ^ $1 }
            return try tdes(x, key: key) + responseCode
        case .visa18:
            // Card status update: byte 2, bit 8, issuer approves online transaction (EMV 4.4 Book
            // 3, annex C10).
            let update: [UInt8] = [0, answer == .decline ? 0 : 0x80, 0, 0]
            return try mac(arqc + update, key: key).prefix(4) + update
        }
    }

    /// ISO/IEC 9797-1 algorithm 3 with padding method 2: DES chain under the left half, the last
    /// block through both.
    private nonisolated func mac(_ data: [UInt8], key: [UInt8]) throws -> [UInt8] {
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

    private nonisolated func tdes(_ block: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try TDESKey(SecretBytes(key)).encryptECB(block)
    }
}
