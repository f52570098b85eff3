import Bytes
import CardCryptography
import Foundation
import Testing

/// openssl makes the keys, verifies what the library signs, and signs what the library verifies.
@Suite("RSASSA-PKCS1-v1_5 and RSAES-PKCS1-v1_5 with openssl") struct RSASignatureTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "rsa-\(UUID())")

    private func openssl(_ arguments: String) throws -> Int32 {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }
    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    @Test(arguments: [(RSASignatureHash.sha1, "sha1", 1024), (.sha256, "sha256", 1024), (.sha256, "sha256", 2048)])
    func signatures(_ hash: RSASignatureHash, _ name: String, _ bits: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try #require(try openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:\(bits) -out key") == 0)
        try #require(try openssl("pkey -in key -pubout -out pub") == 0)
        let message = Array("a message".utf8)
        try write("message", message)
        let key = try RSASignatureKey(SecretBytes(read("key")))
        let signature = key.sign(message, hash)
        #expect(signature.count == bits / 8)
        try write("signature", signature)
        #expect(try openssl("dgst -\(name) -verify pub -signature signature message") == 0)
        try #require(try openssl("dgst -\(name) -sign key -out theirs message") == 0)
        #expect(try read("theirs") == signature)
        let publicKey = try RSASignatureVerificationKey(read("pub"))
        #expect(publicKey.verifies(signature, over: message, hash))
        #expect(key.verificationKey.verifies(signature, over: message, hash))
        #expect(!publicKey.verifies(signature, over: message, hash == .sha1 ? .sha256 : .sha1))
        #expect(!publicKey.verifies(signature, over: message + [0], hash))
        #expect(!publicKey.verifies(Array(signature.dropLast()), over: message, hash))
        #expect(!publicKey.verifies([], over: message, hash))
        try write("cryptogram", #require(RSAEncryptionKey(read("pub")).encipher(message)))
        #expect(try openssl("pkeyutl -decrypt -inkey key -in cryptogram -out plain") == 0)
        #expect(try read("plain") == message)
        #expect(try RSAEncryptionKey(read("pub")).encipher([UInt8](repeating: 0, count: bits / 8 - 10)) == nil)
    }

    @Test("keys of other kinds and lengths") func refuses() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try #require(try openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:512 -out short") == 0)
        try #require(try openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out curve") == 0)
        for name in ["short", "curve"] {
            #expect(throws: RSASignatureKeyError.notSupported) { try RSASignatureKey(SecretBytes(read(name))) }
        }
        #expect(throws: RSASignatureKeyError.notAKey) { try RSASignatureKey(SecretBytes([0x30, 0x80])) }
        #expect(throws: RSASignatureKeyError.notAKey) { try RSASignatureVerificationKey([]) }
    }
}
