import Bytes
import CardCryptography
import Foundation
import Testing

@Suite struct ScryptTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let password: String
        let salt: String
        let scrypt: Scrypt?
        let key: String
        var testDescription: String { "\(password)/\(salt)" }
    }

    /// RFC 7914, section 12; the last one of it needs 1 GiB.
    static let vectors = [
        Vector(
            password: "", salt: "", scrypt: Scrypt(costLog2: 4, blockSize: 1, parallelization: 1),
            key: """
                77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
                fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
                """),
        Vector(
            password: "password", salt: "NaCl", scrypt: Scrypt(costLog2: 10, blockSize: 8, parallelization: 16),
            key: """
                fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
                2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
                """),
        Vector(
            password: "pleaseletmein", salt: "SodiumChloride",
            scrypt: Scrypt(costLog2: 14, blockSize: 8, parallelization: 1),
            key: """
                7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
                d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
                """),
    ]

    @Test(arguments: vectors) func derivesTheKeysOfRFC7914(_ vector: Vector) throws {
        let scrypt = try #require(vector.scrypt)
        let key = scrypt.key(of: SecretBytes(vector.password.utf8), salt: Array(vector.salt.utf8), count: 64)
        #expect(key.revealed().hex.lowercased() == vector.key)
    }

    @Test func refusesParametersThatNoDerivationMayHave() {
        #expect(Scrypt(costLog2: 0, blockSize: 8, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: 16, blockSize: 1, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: 20, blockSize: 8, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: .max, blockSize: .max, parallelization: .max) == nil)
        #expect(Scrypt(costLog2: .min, blockSize: .min, parallelization: .min) == nil)
    }

    @Test(arguments: [-1, 0, 1, 64, 65]) func keysHaveOneTo64Bytes(_ count: Int) throws {
        let scrypt = try #require(Scrypt(costLog2: 1, blockSize: 1, parallelization: 1))
        #expect(scrypt.key(of: SecretBytes([]), salt: [], count: count).count == min(max(count, 1), 64))
    }
}
