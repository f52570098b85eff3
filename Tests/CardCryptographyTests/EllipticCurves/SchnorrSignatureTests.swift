import Bytes
import PeerPrograms
import Testing

@testable import CardCryptography

/// One example of `Vectors/emv/elliptic-curve-signatures.json`.
private struct Example: Decodable, CustomStringConvertible {
    let name, suite, privateKey, message, nonce, signature: String

    var description: String { name }

    static let all = Result { try vectors("emv/elliptic-curve-signatures.json") as [Example] }

    var parts: (suite: SignatureSuite, key: ECPrivateKey, message: [UInt8], signature: [UInt8]) {
        get throws {
            let suite = try #require(SignatureSuite(rawValue: hex(self.suite)[0]))
            return (
                suite, try ECPrivateKey(suite.curve, scalar: secret(privateKey)), try hex(message), try hex(signature)
            )
        }
    }
}

@Suite struct SchnorrSignatureTests {
    @Test(arguments: 0..<4) func publishedSignaturesAreRight(index: Int) throws {
        let (suite, key, message, signature) = try Example.all.get()[index].parts
        #expect(suite.isValid(signature, on: message, by: key.publicKey))
    }

    @Test(arguments: 0..<4) func signsAsPublishedWithThePublishedNonce(index: Int) throws {
        let example = try Example.all.get()[index]
        let (suite, key, message, signature) = try example.parts
        let own = try suite.sign(message, by: key, nonce: SecretInteger(secret(example.nonce)))
        #expect(own == signature)
    }

    /// The keys of the two issuers are in the certificates that the authority signed.
    @Test(arguments: [(0, 1), (2, 3)]) func publishedKeysBelongTogether(certificate: Int, issuer: Int) throws {
        let (suite, _, message, _) = try Example.all.get()[certificate].parts
        let key = try Example.all.get()[issuer].parts.key
        #expect(key.publicKey.x == Array(message.suffix(suite.curve.fieldCount)))
    }

    @Test(arguments: [SignatureSuite.p256, .p521]) func anyChangeIsNoticed(suite: SignatureSuite) throws {
        let key = ECPrivateKey.generate(suite.curve)
        let message: [UInt8] = [1, 2, 3]
        let signature = try suite.sign(message, by: key)
        #expect(signature.count == suite.signatureCount)
        #expect(suite.isValid(signature, on: message, by: key.publicKey))
        #expect(!suite.isValid(signature, on: [1, 2, 4], by: key.publicKey))
        #expect(!suite.isValid(signature, on: message, by: ECPrivateKey.generate(suite.curve).publicKey))
        for index in stride(from: 0, to: signature.count, by: 7) {
            var changed = signature
            changed[index] ^= 0x01
            #expect(!suite.isValid(changed, on: message, by: key.publicKey))
        }
        #expect(!suite.isValid(Array(signature.dropLast()), on: message, by: key.publicKey))
        #expect(!suite.isValid(signature + [0], on: message, by: key.publicKey))
    }

    /// A2.2.3 step e: r reduced and s are not zero, s is below the order.
    @Test(arguments: [SignatureSuite.p256, .p521]) func numbersOutOfRangeAreRefused(suite: SignatureSuite) throws {
        let key = ECPrivateKey.generate(suite.curve)
        let signature = try suite.sign([7], by: key)
        let hashCount = suite.signatureCount - suite.curve.fieldCount
        let (r, zero) = (Array(signature.prefix(hashCount)), [UInt8](repeating: 0, count: suite.signatureCount))
        let order = suite.curve.group.order.bytes(count: suite.curve.fieldCount)
        #expect(!suite.isValid(r + zero.suffix(suite.curve.fieldCount), on: [7], by: key.publicKey))
        #expect(!suite.isValid(r + order, on: [7], by: key.publicKey))
        #expect(
            !suite.isValid(
                zero.prefix(hashCount) + signature.suffix(suite.curve.fieldCount), on: [7], by: key.publicKey))
    }

    @Test func aKeyOfAnotherCurveDoesNotSign() throws {
        let key = ECPrivateKey.generate(.p521)
        #expect(throws: EllipticCurveError.lengthMismatch(count: 66, expected: 32)) {
            try SignatureSuite.p256.sign([1], by: key)
        }
        #expect(!SignatureSuite.p256.isValid([UInt8](repeating: 1, count: 64), on: [1], by: key.publicKey))
    }
}

@Suite struct EllipticCurveKeyTests {
    /// That of P-521 has the greater y, so its x stands for the opposite point.
    @Test("The base points of EMV 4.4 Book 2, tables 45 and 46") func basePoints() throws {
        let p256 = try hex("6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296")
        let p521 = try hex(
            "00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66"
        )
        let opposite = try PeerProgram.python(
            """
            y = 0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650
            print('%0132X' % (2**521 - 1 - y))
            """)
        #expect(
            try ECPublicKey(.p256, x: p256).point.y.hex
                == "4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5")
        #expect(try ECPublicKey(.p521, x: p521).point.y.hex == opposite)
    }

    /// For about half of all x there is a point: where x³ − 3x + b is a square modulo p, by
    /// python's arithmetic.
    @Test func coordinatesWithoutPointAreRefused() throws {
        let squares = try PeerProgram.python(
            """
            p = 2**256 - 2**224 + 2**192 + 2**96 - 1
            b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
            print(*[x for x in range(32) if pow(x**3 - 3 * x + b, (p - 1) // 2, p) == 1])
            """
        ).split(separator: " ").compactMap { UInt8($0) }
        #expect((8...24).contains(squares.count))
        for last in UInt8(0)..<32 {
            let x = [UInt8](repeating: 0, count: 31) + [last]
            let key = try? ECPublicKey(.p256, x: x)
            #expect((key != nil) == squares.contains(last), "\(last)")
        }
        #expect(throws: EllipticCurveError.notOnCurve) {
            try ECPublicKey(.p256, x: [UInt8](repeating: 0xFF, count: 32))
        }
        #expect(throws: EllipticCurveError.lengthMismatch(count: 31, expected: 32)) {
            try ECPublicKey(.p256, x: [UInt8](repeating: 1, count: 31))
        }
    }

    @Test("Both coordinates must be those of a point", arguments: [EllipticCurve.p256, .p521])
    func bothCoordinates(curve: EllipticCurve) throws {
        let group = curve.group
        let lesser = ECPrivateKey.generate(curve).publicKey.point
        let field = curve == .p256 ? "2**256 - 2**224 + 2**192 + 2**96 - 1" : "2**521 - 1"
        let greater = try hex(
            PeerProgram.python("print('%0\(2 * curve.fieldCount)X' % (\(field) - 0x\(lesser.y.hex)))"))
        #expect(group.point(x: lesser.x, y: lesser.y)?.y == lesser.y)
        let other = try #require(group.point(x: lesser.x, y: greater))
        #expect(other.y == greater)
        #expect(!group.hasLesserY(other))
        #expect(group.withLesserY(other).y == lesser.y)
        #expect(group.point(x: lesser.y, y: lesser.x) == nil)
        #expect(group.point(x: lesser.x, y: Array(lesser.y.dropFirst())) == nil)
        #expect(group.point(x: Array(lesser.x.dropFirst()), y: lesser.y) == nil)
    }

    /// x = 5 has a point on P-256, and p + 5 is the same modulo p.
    @Test func coordinatesAreBelowTheFieldsPrime() throws {
        let five = [UInt8](repeating: 0, count: 31) + [5]
        let point = try #require(EllipticCurve.p256.group.point(x: five))
        let beyond = try hex(PeerProgram.python("print('%064X' % (2**256 - 2**224 + 2**192 + 2**96 - 1 + 5))"))
        #expect(EllipticCurve.p256.group.point(x: beyond) == nil)
        #expect(EllipticCurve.p256.group.point(x: beyond, y: point.y) == nil)
    }

    @Test(arguments: [EllipticCurve.p256, .p521]) func madeKeysHaveTheLesserY(curve: EllipticCurve) throws {
        for _ in 0..<8 {
            let key = ECPrivateKey.generate(curve)
            let point = curve.group.basePoint(times: key.scalar)
            #expect(curve.group.hasLesserY(point))
            #expect(point.x == key.publicKey.x)
            #expect(point.y == key.publicKey.point.y)
            #expect(try ECPublicKey(curve, x: point.x).point.y == point.y)
        }
    }

    @Test func scalarsOutOfRangeAreRefused() throws {
        let order = EllipticCurve.p256.group.order
        let one = [UInt8](repeating: 0, count: 31) + [1]
        for bytes in [
            [UInt8](repeating: 0, count: 32), one, order.bytes(count: 32), order.decremented.bytes(count: 32),
        ] {
            #expect(throws: EllipticCurveError.invalidPrivateKey) {
                try ECPrivateKey(.p256, scalar: SecretBytes(bytes))
            }
        }
        #expect(throws: EllipticCurveError.lengthMismatch(count: 3, expected: 66)) {
            try ECPrivateKey(.p521, scalar: SecretBytes([1, 2, 3]))
        }
        // n − d has the other y.
        let key = ECPrivateKey.generate(.p256)
        let other = order.minus(key.scalar).bytes(count: 32)
        #expect(throws: EllipticCurveError.greaterY) { try ECPrivateKey(.p256, scalar: SecretBytes(other)) }
    }
}
